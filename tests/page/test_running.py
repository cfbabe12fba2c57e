"""A click through the life of an application: deploy, late data, dead letters, replay, pause, resume.

The steps build on each other, on one server: they are one test, and a failure names its step.
"""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect
from tests.page.conftest import PATIENCE, Look
from tests.page.serving import MARKET, Server

JOB = "/api/v1/jobs/market.bars"
EVIL = "<img src=x onerror=document.title=1>"


def a_mistake_is_underlined_while_it_is_typed_and_a_right_text_is_deployed(look: Look, market: Server) -> None:
    page = look.enter()
    look.go("editor")
    page.wait_for_selector("textarea")
    page.fill("textarea", MARKET.replace("AVG(t.price)", "AVG(t.pirce)"))
    page.wait_for_selector(".finding.error")
    assert "has no column 'pirce'" in page.inner_text(".finding.error")
    assert "did you mean 'price'?" in page.inner_text(".finding.error .hint")
    assert "".join(page.locator(".u-error").all_inner_texts()) == "t.pirce"
    assert page.get_attribute("input[name=name]", "placeholder") == "market", "the header names it"
    assert page.is_disabled("[data-act=deploy]")
    page.click(".finding.error")
    assert page.evaluate("(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.querySelector('textarea'))")
    look.keep("editor")
    page.fill("textarea", MARKET)
    page.wait_for_selector("[data-check].good")
    page.click("[data-act=deploy]")
    page.wait_for_url("**/#/app/market")
    expect(page.locator("h1")).to_have_text("market")
    market.until(JOB, lambda job: job["records"].get("read", 0) >= 720)
    look.keep("app")


def the_partition_that_holds_the_watermark_back_is_two_clicks_away(look: Look, market: Server) -> None:
    for minute in range(1, 4):
        market.minute(60 * minute, (1, 2))
    market.until(JOB, lambda job: (job["watermark_lag_seconds"] or 0) > 100)
    page = look.enter()
    page.click("section.attention a:has-text('held back by')")
    expect(page.locator("[data-holder]")).to_have_text("trades/3")
    assert page.inner_text("tr.holds td:nth-child(2)") == "3"
    look.keep("partitions")
    look.go("")
    page.wait_for_selector(".attention")
    look.keep("overview")


def slide(page: Page, value: str) -> None:
    move = f"range => {{ range.value = {value}; range.dispatchEvent(new Event('input')); }}"
    page.eval_on_selector("input[type=range]", move)


def late_records_are_counted_and_another_lateness_is_tried(look: Look, market: Server) -> None:
    market.minute(240, (1, 2, 3))
    market.until(JOB, lambda job: (job["watermark_lag_seconds"] or 0) < 30 and job["records"]["read"] >= 2800)
    market.trades([("AAPL", 1, "99", 290 - late) for late in (3, 20, 45, 100, 150, 200)] + [("MSFT", 2, EVIL, 299)])
    market.until(JOB, lambda job: job["late_events"] == 6 and job["dead_lettered"] >= 2)
    page = look.enter()
    look.go("job/market/bars/lateness")
    page.wait_for_selector("input[type=range]")
    assert "1m" in page.inner_text(".tiles")
    slide(page, "0")
    expect(page.locator(".verdict")).to_contain_text("of 6 late records")
    slide(page, "range.max")
    expect(page.locator(".verdict")).to_contain_text("None")
    slide(page, "4")
    expect(page.locator(".verdict")).to_contain_text("At most 3 of 6 late records")
    look.keep("lateness")


def a_dead_letter_is_found_read_and_replayed(look: Look, market: Server) -> None:
    page = look.enter()
    look.go("letters")
    page.wait_for_selector("tr[data-row]")
    page.select_option("label:has-text('Job') select", "bars")
    page.select_option("label:has-text('Reason') select", "undecodable")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    look.keep("letters")
    page.focus("tr[data-row]")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .record")
    assert EVIL in page.inner_text("dialog .record")
    assert page.query_selector("img") is None
    look.keep("letter")
    page.keyboard.press("Escape")
    page.select_option("label:has-text('Reason') select", "too_late")
    expect(page.locator("tr[data-row]").first).to_contain_text("late")
    before = market.get(JOB)["records"]
    page.click("tr[data-row] input[type=checkbox] >> nth=0")
    page.click("[data-act=replay]")
    expect(page.locator(".toast")).to_contain_text("1 handed back to bars")
    after = market.until(JOB, lambda job: job["records"]["replayed"] > before["replayed"])["records"]
    assert after["replayed"] == before["replayed"] + 1


def a_job_is_paused_and_goes_on(look: Look, market: Server) -> None:
    page = look.enter()
    look.go("job/market/bars")
    page.wait_for_selector("[role=tablist]")  # before it, the buttons of all jobs are still there
    page.click("[data-verb=pause]")
    expect(page.locator("h1 + .badge")).to_have_text("paused")
    read = market.get(JOB)["records"]["read"]
    market.minute(300, (1, 2, 3))
    page.click("[data-verb=resume]")
    expect(page.locator("h1 + .badge")).to_have_text("running")
    market.until(JOB, lambda job: job["records"]["read"] >= read + 720)
    expect(page.locator(".whole .legend").first).to_contain_text("in results")
    look.keep("summary")


VIEWS = {
    "plan": ("job/market/bars/plan", ".node"),
    "windows": ("job/market/bars/windows?key=AAPL", "tr:has-text('AAPL|A') .emit:has-text('late')"),
    "metrics": ("job/market/bars/metrics", "[data-group=tables]"),
    "logs": ("job/market/bars/logs", ".log div"),
    "versions": ("job/market/bars/versions", "tbody tr"),
    "tables": ("tables", "tr:has-text('instruments') .badge"),
    "lineage": ("lineage", ".node"),
    "ask": ("ask", "textarea"),
    "advice": ("advice", ".advice"),
}


MORE = (("app/market", "pre"), ("letters", "tr[data-row]"))


def every_other_view_shows_what_runs(look: Look, market: Server) -> None:
    page = look.enter()
    for name, (place, wanted) in VIEWS.items():
        look.go(place)
        page.wait_for_selector(wanted)
        if name == "lineage":
            page.click(".node.sink button:has-text('mean_price')")
            assert page.inner_text(".node.source button.lit") == "price"
        if name == "ask":
            page.click("button[type=submit]")
            expect(page.locator("td:has-text('bars')").first).to_be_visible()
        if name == "plan":
            assert re.search(r"TUMBLING 10s", page.inner_text(".graph"))
            assert page.locator("text=Time by stage").count() == 1
        if name == "advice":
            assert re.search(r"records by lateness seconds: 1: \d+ · 5: \d+", page.inner_text(".advice"))
        if name == "metrics":
            assert page.locator("td:has-text('AAPL')").count() > 0
            groups = page.locator("[data-group]").evaluate_all("found => found.map((each) => each.dataset.group)")
            assert groups[:6] == ["records", "windows", "watermarks", "state", "joins", "tables"]
            assert "records below the watermark" in page.inner_text("[data-group=windows]")
        look.keep(name)


def a_row_of_a_table_is_looked_up_by_key(look: Look, market: Server) -> None:
    page = look.enter()
    look.go("tables")
    page.click("tr:has-text('instruments') button")
    page.fill("dialog input[name=key]", "NVDA")
    page.keyboard.press("Enter")
    expect(page.locator("dialog .facts")).to_contain_text("Nvda Inc")


def every_record_is_in_one_class(look: Look, market: Server) -> None:
    records = market.get(JOB)["records"]
    gone = sum(records["dropped"].values()) + sum(records["dead_lettered"].values())
    kept = sum(records[name] for name in ("in_results", "open", "filtered", "duplicates", "unmatched"))
    assert records["read"] + records["expanded"] + records["replayed"] == kept + gone


def charts_have_their_past_after_the_control_plane_was_killed(look: Look, market: Server) -> None:
    page = look.enter()
    page.wait_for_selector(".chart polyline")
    market.kill()
    page.wait_for_selector("#link.off")
    market.start()
    page.wait_for_selector("#link.on")
    look.wrong.clear()  # that nobody answered is an error of the network
    (recent,) = market.until("/api/v1/recent?app=market&job=bars", lambda said: said["jobs"])["jobs"]
    names = ("at", "rate", "watermark_lag_seconds", "state_bytes")
    assert len({len(recent[name]) for name in names}) == 1
    assert len(recent["at"]) > 10, "only some of them are of the seconds since it was started again"
    assert max(recent["rate"]) > 0
    assert max(recent["state_bytes"]) > 0
    with Look(look.context.browser, market) as other:  # type: ignore[arg-type]
        other.enter().wait_for_selector(".chart polyline")
        lines = other.page.locator(".chart polyline").all()
        assert max(len(str(line.get_attribute("points")).split()) for line in lines) > 10


def it_is_used_in_the_dark_and_on_a_narrow_screen(look: Look, market: Server) -> None:
    for name, options in {
        "dark": {"color_scheme": "dark"},
        "narrow": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    }.items():
        with Look(look.context.browser, market, **options) as other:  # type: ignore[arg-type]
            page: Page = other.enter()
            page.wait_for_selector("table tr[data-row]")
            assert too_wide(page) <= 0, "only tables and pictures scroll sideways"
            pause = page.locator("tr[data-row] [data-verb=pause]").first.bounding_box()
            width = page.evaluate("innerWidth")
            assert pause is not None
            assert pause["x"] + pause["width"] <= width, "what is done with a job is at hand"
            other.keep(f"overview-{name}")
            other.go("job/market/bars/partitions")
            page.wait_for_selector("[data-holder], .banner")
            other.keep(f"partitions-{name}")
            for place, wanted in (*VIEWS.values(), *MORE) if name == "narrow" else ():
                other.go(place)
                page.wait_for_selector(wanted)
                assert too_wide(page) <= 0, f"{place} is wider than the screen"


def tables_of_a_stopped_application_are_not_ready_and_can_be_looked_at(look: Look, market: Server) -> None:
    market.ask("POST", "/api/v1/jobs/market/stop")
    page = look.enter()
    look.go("tables")
    expect(page.locator("tr:has-text('instruments') .badge")).to_have_text("stopped")
    assert "0 of 2" in page.inner_text(".tiles")
    page.click("tr:has-text('instruments') button")
    page.fill("dialog input[name=key]", "SAP")
    page.keyboard.press("Enter")
    expect(page.locator("dialog .facts")).to_contain_text("Sap Inc")


def too_wide(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


STEPS = (
    a_mistake_is_underlined_while_it_is_typed_and_a_right_text_is_deployed,
    the_partition_that_holds_the_watermark_back_is_two_clicks_away,
    late_records_are_counted_and_another_lateness_is_tried,
    a_dead_letter_is_found_read_and_replayed,
    a_job_is_paused_and_goes_on,
    every_other_view_shows_what_runs,
    a_row_of_a_table_is_looked_up_by_key,
    every_record_is_in_one_class,
    charts_have_their_past_after_the_control_plane_was_killed,
    it_is_used_in_the_dark_and_on_a_narrow_screen,
    tables_of_a_stopped_application_are_not_ready_and_can_be_looked_at,
)


def test_an_application_is_deployed_watched_and_mended_on_the_page(browser: Browser, server: Server) -> None:
    expect.set_options(timeout=PATIENCE)
    server.instruments()
    server.minute(0, (1, 2, 3))
    for step in STEPS:
        with Look(browser, server) as look:
            step(look, server)
