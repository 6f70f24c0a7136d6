#!/usr/bin/env python3
"""Opens every page of the built site in a headless browser, on a wide and on a narrow screen.

    browse.py SITE BROWSER       a page has one visible h1, its pictures load, and it does not scroll sideways
    browse.py --self-test BROWSER

A page of our own shows the others in a frame and sends what it sees to the server below, which this program is.
"""
import functools
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

WIDTHS = (1280, 360)
TIMEOUT = 240
HARNESS = """<!doctype html><meta charset="utf-8"><body><script>
async function look(page, width) {
  const frame = document.createElement('iframe')
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`
  frame.src = '/' + page
  document.body.append(frame)
  await new Promise(done => frame.onload = done)
  const seen = frame.contentDocument, faults = [], root = seen.documentElement
  const titles = [...seen.querySelectorAll('h1')].filter(one => one.offsetHeight > 0)
  if (titles.length != 1) faults.push(`expected one visible h1, got ${titles.length}`)
  for (const image of seen.images)
    if (!image.complete || !image.naturalWidth) faults.push('a picture does not load: ' + image.src)
  const wide = Math.max(root.scrollWidth, seen.body.scrollWidth) - root.clientWidth
  if (wide > 1) {
    const widest = [...seen.querySelectorAll('body *')].sort(
      (a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right)[0]
    faults.push(`scrolls sideways by ${wide} pixels, widest: ${widest.outerHTML.slice(0, 80)}`)
  }
  const pictures = seen.images.length
  frame.remove()
  return {page, width, faults, pictures}
}
(async () => {
  const results = []
  for (const page of PAGES)
    for (const width of WIDTHS) results.push(await look(page, width))
  await fetch('/__results', {method: 'POST', body: JSON.stringify(results)})
})()
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The files of the site, the harness, and a place for what it sees."""

    def do_GET(self):
        if self.path != "/__harness":
            return super().do_GET()
        body = HARNESS.replace("PAGES", json.dumps(self.server.pages)).replace("WIDTHS", json.dumps(WIDTHS)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.results = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def log_message(self, *arguments):
        pass


def browse(site, browser):
    """What was seen of each page at each width."""
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    server.pages, server.results, server.done = pages, None, threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # The browser may still write while it ends.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The pages are ours: no sandbox is needed, and none is to be had as root.
        process = subprocess.Popen([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                    "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/__harness"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        seen = server.done.wait(TIMEOUT)
        # Debian's command is a script that starts the browser, which starts others.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
    server.shutdown()
    if not seen:
        sys.exit(f"error: {browser} sent nothing in {TIMEOUT} s")
    return server.results


def self_test(browser):
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        (site / "good.html").write_text("<!doctype html><h1>good</h1>")
        (site / "bad.html").write_text('<!doctype html><h1 style="display: none">bad</h1><img src="none.png">'
                                       '<div style="width: 2000px">wide</div>')
        results = browse(site, browser)
    counts = {(one["page"], one["width"]): len(one["faults"]) for one in results}
    if counts != {(page, width): faults for page, faults in (("good.html", 0), ("bad.html", 3)) for width in WIDTHS}:
        sys.exit(f"browse.py: expected 0 faults of good.html and 3 of bad.html, got {results}")


def main():
    if sys.argv[1] == "--self-test":
        return self_test(sys.argv[2])
    results = browse(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2])
    faults = [f"{one['page']} at {one['width']} pixels: {fault}" for one in results for fault in one["faults"]]
    for fault in faults:
        print(fault)
    print(f"{len(results)} views in the browser, {sum(one['pictures'] for one in results)} pictures, {len(faults)} faults")
    return 1 if faults or not results else 0


if __name__ == "__main__":
    sys.exit(main())
