"""damage-rows.py IN OUT WHAT: writes a description whose first rows are changed."""
import json
import sys

source, target, what = sys.argv[1:]
description = json.load(open(source))
rows = description["rows"][0]
parts = rows["operands"] + rows["outputs"]
if what == "dims":
    parts[0]["dims"].append(0)
elif what == "between":  # a dimension that no output has
    rows["sizes"].insert(1, 2 ** 40)
    for part in parts:
        part["dims"] = [0, 2]
elif what == "columns":  # columns that no operand has
    rows["sizes"].append(2 ** 40)
elif what == "results":
    rows["results"].append("t0")
elif what == "size":
    rows["sizes"][0] = 6
elif what == "unknown":  # in all rows
    for each in description["rows"]:
        for step in each["steps"]:
            step["op"] = "gamma"
else:
    sys.exit(f"expected another change, got {what}")
json.dump(description, open(target, "w"))
