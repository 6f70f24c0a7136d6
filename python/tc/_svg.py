"""SVG elements, and what a picture is to a notebook."""
from __future__ import annotations

import xml.etree.ElementTree as ElementTree

NAMESPACE = "http://www.w3.org/2000/svg"
# What is filled is light with dark text in both colour schemes; text and lines beside it follow the reader's.
COLORS = ("#a6cee3", "#fdbf6f", "#b2df8a", "#cab2d6", "#fff2a8", "#fb9a99", "#9fe3d6", "#d9d9d9")
DARK_TEXT = "#1f2328"
_STYLE = """
.tc .ink { fill: #1f2328 } .tc .line { stroke: #57606a } .tc .grid { stroke: #d0d7de }
@media (prefers-color-scheme: dark) { .tc .ink { fill: #e6edf3 } .tc .line { stroke: #8b949e } .tc .grid { stroke: #30363d } }
"""


class Picture:
    """An SVG picture. Notebooks show it; `svg` is its text, `data` what it was drawn from."""

    def __init__(self, svg: str, data):
        self.svg, self.data = svg, data

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path) -> None:
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


class Drawing:
    """SVG elements on a page without a background, added from back to front."""

    def __init__(self, width: float, height: float, title: str):
        self.root = ElementTree.Element("svg", {
            "xmlns": NAMESPACE, "width": _number(width), "height": _number(height),
            "viewBox": f"0 0 {_number(width)} {_number(height)}", "font-family": "sans-serif", "font-size": "11",
            "role": "img", "class": "tc"})
        ElementTree.SubElement(self.root, "title").text = title
        ElementTree.SubElement(self.root, "style").text = _STYLE

    def add(self, tag: str, text: str = "", *, parent=None, tip: str = "", **attributes):
        """An element; `tip` is shown under the pointer. Attributes have _ for -, and a _ more where Python has
        the word for itself."""
        element = ElementTree.SubElement(self.root if parent is None else parent, tag, {
            name.rstrip("_").replace("_", "-"): value if isinstance(value, str) else _number(value)
            for name, value in attributes.items()})
        if tip:
            ElementTree.SubElement(element, "title").text = tip
        if text:
            element.text = text
        return element

    def text(self, x: float, y: float, text: str, **attributes):
        """Text in the reader's colour; on a filled shape, `fill` is DARK_TEXT."""
        if "fill" not in attributes:
            attributes.setdefault("class_", "ink")
        return self.add("text", text, x=x, y=y, **attributes)

    def legend(self, x: float, y: float, entries) -> None:
        """Squares of colour with what they stand for, (colour, words) each, in a line that begins at (`x`, `y`)."""
        for color, words in entries:
            self.add("rect", class_="key", x=x, y=y - 9, width=10, height=10, fill=color)
            self.text(x + 14, y, words, font_size=10)
            x += 30 + text_width(words, 10)

    def picture(self, data) -> Picture:
        return Picture(ElementTree.tostring(self.root, encoding="unicode"), data)


def text_width(text: str, size: float) -> float:
    """An upper bound of what `text` takes in a sans-serif font of `size` pixels."""
    return 0.62 * size * len(text)


def legend_width(entries) -> float:
    return sum(30 + text_width(words, 10) for _, words in entries)


def _number(value) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
