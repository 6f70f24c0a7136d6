"""SVG elements, and what a picture is to a notebook."""
from __future__ import annotations

import xml.etree.ElementTree as ElementTree

NAMESPACE = "http://www.w3.org/2000/svg"
COLORS = ("#dbe9f6", "#fde0c5", "#d9f0d3", "#e7d4e8", "#fff2ae", "#f4cae4", "#cbd5e8", "#e6f5c9")


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
    """SVG elements on a white page, added from back to front."""

    def __init__(self, width: float, height: float, title: str):
        self.root = ElementTree.Element("svg", {
            "xmlns": NAMESPACE, "width": _number(width), "height": _number(height),
            "viewBox": f"0 0 {_number(width)} {_number(height)}", "font-family": "sans-serif", "font-size": "11",
            "role": "img"})
        ElementTree.SubElement(self.root, "title").text = title
        self.add("rect", x=0, y=0, width=width, height=height, fill="white")

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
        return self.add("text", text, x=x, y=y, **attributes)

    def picture(self, data) -> Picture:
        return Picture(ElementTree.tostring(self.root, encoding="unicode"), data)


def _number(value) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
