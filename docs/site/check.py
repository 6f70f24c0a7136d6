#!/usr/bin/env python3
"""Every link of the built site leads somewhere.

    check.py SITE              links, anchors and pictures of the pages; nothing is loaded from elsewhere
    check.py --self-test       a site with one fault of each kind, and each is found

Files of the project that the documents name in backticks have to be there as well.
"""
import html.parser
import pathlib
import re
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "benchmarks|cmake|docs|examples|include|lib|python|scripts|test|tools|unittests"


class Page(html.parser.HTMLParser):
    """What a page has (anchors, headings) and what it wants."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded, self.images, self.titles = {""}, [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        self.titles += tag == "h1"
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and "stylesheet" in values.get("rel", "") or tag == "link" and "icon" in values.get("rel", ""):
            self.loaded.append(values["href"])
        if tag == "img" and not values.get("alt"):
            self.images.append(values.get("src"))


def check(site):
    """(faults, links looked at, links to other sites)."""
    # The page for a wrong address is served from anywhere, with absolute links.
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    faults, inside, outside = [], 0, 0
    for path, page in pages.items():
        where = path.relative_to(site)
        faults += [f"{where}: a picture without a text: {source}" for source in page.images]
        if page.titles != 1:
            faults.append(f"{where}: expected one h1, got {page.titles}")
        for link, loaded in [(link, False) for link in page.links] + [(link, True) for link in page.loaded]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                outside += 1
                if loaded:
                    faults.append(f"{where}: loaded from elsewhere: {link}")
                continue
            inside += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file():
                faults.append(f"{where}: no such file: {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{where}: no such anchor: {link}")
    if not pages:
        faults.append(f"no page in {site}")
    return faults, inside, outside


def missing_files():
    """Names of files in the documents' backticks that the project does not have."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]*\w/?)`", line):
                if not (ROOT / name).exists():
                    yield f"{page.relative_to(ROOT)}:{number}: no such file: {name}"


def self_test():
    faulty = ('<h1>a</h1><h1>b</h1><a href="none.html">1</a><a href="#none">2</a><a href="ok.html#none">3</a>'
              '<script src="https://example.org/x.js"></script><img src="ok.html">')
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve()
        (site / "ok.html").write_text('<h1 id="a">a</h1><a href="ok.html#a">here</a><a href="https://example.org">there</a>')
        if (result := check(site)) != ([], 1, 1):
            sys.exit(f"check.py: a right site is refused: {result}")
        (site / "bad.html").write_text(faulty)
        if len(faults := check(site)[0]) != 6:
            sys.exit(f"check.py: expected 6 faults, got {faults}")


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, inside, outside = check(pathlib.Path(sys.argv[1]).resolve())
    faults += missing_files()
    for fault in faults:
        print(fault)
    print(f"{inside} links inside of the site, {outside} to others (not fetched), {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
