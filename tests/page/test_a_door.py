"""Who may look at the page, and what a browser is told about it. Nothing runs yet."""

from __future__ import annotations

import urllib.request

from tests.page.conftest import Look
from tests.page.serving import TOKEN, Server


def test_the_token_is_asked_for_once_and_a_wrong_one_is_refused(look: Look) -> None:
    page = look.page
    page.goto(look.server.address)
    page.fill("input[name=token]", "not-this-one")
    page.click("button[type=submit]")
    page.wait_for_selector(".login .error:not(:empty)")
    assert "token" in page.inner_text(".login .error")
    page.fill("input[name=token]", TOKEN)
    page.click("button[type=submit]")
    page.wait_for_selector(".empty")
    assert "No application is deployed yet." in page.inner_text("#main")
    page.reload()
    page.wait_for_selector(".empty")
    assert page.evaluate("localStorage.length + document.cookie.length") == 0
    page.click("button[aria-label=Leave]")
    page.wait_for_selector(".login")
    look.wrong.clear()  # the refused token is an error of the network


def test_an_address_with_a_code_opens_the_page_once_and_leaves_no_trace(look: Look) -> None:
    page = look.page
    address = look.server.ask("POST", "/api/v1/login-codes")["address"]
    page.goto(address)
    page.wait_for_selector(".empty")
    assert page.url.endswith("#/")
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(".problem")
    assert "used before" in page.inner_text(".problem")
    look.wrong.clear()


def test_a_browser_is_told_to_run_nothing_but_the_page(server: Server) -> None:
    for path in ("/", "/page/app.js", "/page/views/overview.js"):
        with urllib.request.urlopen(server.address + path, timeout=10) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_the_first_paint_takes_less_than_a_second(look: Look) -> None:
    page = look.page
    page.goto(look.server.address)
    page.wait_for_selector(".login")
    paints = [
        page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        for _ in range(3)
        if page.reload() and page.wait_for_selector(".login")
    ]
    assert min(paints) < 1000


def test_views_are_reached_by_keys(look: Look) -> None:
    page = look.enter()
    places = {"gt": "Tables", "gd": "Dead letters", "gl": "Lineage", "ga": "Advice", "ge": "Editor", "gq": "Ask"}
    for keys, heading in places.items():
        page.wait_for_selector("#main :first-child")
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_selector(f"h1:has-text('{heading}')")
        if heading == "Editor":
            page.keyboard.press("Escape")
    page.keyboard.press("Shift+?")
    page.wait_for_selector("dialog .keys")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


PIECES = {
    "format.span(80)": "1m 20s",
    "format.span(0.25)": "250ms",
    "format.span(90061)": "1d 1h",
    "format.span(null)": "–",
    "format.short(1234567)": "1.2M",
    "format.bytes(1536)": "1.5 kB",
    "format.percent(1, 3)": "33.3 %",
    "[1, 2].map((n) => format.some(n, 'batch', 'batches'))": ["1 batch", "2 batches"],
    "charts.lineChart({title: '', series: [{name: 'a', points: [0, 5, 10, 3000, 3005].map((at) => [at * 1000, 1])}],"
    " format: String}).querySelectorAll('polyline').length": 2,
    "charts.nice(37)": 50,
    "charts.nice(0)": 1,
    "[0, 0.3, 45, 200, 90000].map(charts.niceTime)": [1, 0.5, 60, 240, 172800],
    "[0, 3000, 70 * 1024].map(charts.niceBytes)": [1, 5120, 102400],
    "graph.placed([{id:'a',width:10,height:10},{id:'b',width:10,height:10}],[{from:'a',to:'b'}]).width": 104,
    "dom.h('b', {}, '<i>', null, ['x', 1]).innerHTML": "&lt;i&gt;x1",
    "[...sql.coloured(\"a 'b\", [{severity:'error',line:1,column:1,end_line:1,end_column:2}])].length": 3,
    "parts.isHeld({held_back_seconds: 61, held_back_by: ['s/1']})": True,
    "parts.isHeld({held_back_seconds: 59, held_back_by: ['s/1'], watermark_lag_seconds: 600})": False,
    "parts.isHeld({held_back_seconds: null, held_by_silence: true, held_back_by: ['s/1']})": True,
    "parts.holders({held_back_by: ['s/1', 's/2', 's/3']}, 2)": "s/1, s/2 and 1 more",
}


def test_pieces_of_the_page_by_themselves(look: Look) -> None:
    look.page.goto(look.server.address)
    names = ("format", "charts", "graph", "dom", "sql", "parts")
    modules = ", ".join(f"import('/page/{name}.js')" for name in names)
    calls = ", ".join(PIECES)
    found = look.page.evaluate(f"Promise.all([{modules}]).then(([{', '.join(names)}]) => [{calls}])")
    assert dict(zip(PIECES, found, strict=True)) == PIECES


def test_what_is_alike_stays_when_the_page_is_drawn_anew(look: Look) -> None:
    look.page.goto(look.server.address)
    kept = look.page.evaluate(
        """import('/page/dom.js').then(({h, show}) => {
          const root = document.createElement('div');
          document.body.append(root);
          show(root, h('input', {'data-key': 'in', class: 'a'}), h('p', {'data-key': 'p'}, 'one'));
          const input = root.querySelector('input');
          input.value = 'typed';
          input.focus();
          let clicks = 0;
          show(root, h('b', {'data-key': 'new'}), h('p', {'data-key': 'p', onclick: () => { clicks += 1; }}, 'two'),
            h('input', {'data-key': 'in', class: 'b'}));
          root.querySelector('p').click();
          return [root.querySelector('input') === input, input.value, input.className, root.textContent, clicks,
            [...root.children].map((each) => each.nodeName).join()];
        })"""
    )
    assert kept == [True, "typed", "b", "two", 1, "B,P,INPUT"]
