"""What tc-compile says when it refuses a module."""
import re

# file:line:column: error: 'op' reason, or a field of the configuration at its column.
REFUSAL = re.compile(r"^(?:[^\n:]*/)?[\w.-]+\.mlir:[1-9]\d*:[1-9]\d*: error: (?=.*'[a-z]\w*(?:\.[\w.]+'|' op)).{30,}|"
                     r"^<--config>:1:[1-9]\d*: error: \S.{15,}", re.M)
# Names that the user did not write.
INTERNAL = re.compile(r"'(?:tmm|gpu|sm80|sm90|tcgen05)\.|tmm\.(?!matmul)|tc\.|unrealized_conversion_cast|failed to legalize|null|<unknown>")
