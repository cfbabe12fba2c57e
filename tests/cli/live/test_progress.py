from velostream.cli.live.progress import progress


def test_files_are_counted_by_the_offsets() -> None:
    last = {
        "sources": [{"endOffset": '{"files": 2, "known": 6}'}, {"endOffset": {"command": ""}}, {"endOffset": "odd"}]
    }
    assert progress(last, None) == (2, 6)


def test_generated_rows_are_counted_where_their_number_is_known() -> None:
    last = {"sources": [{"endOffset": '{"arrived": 50, "start": "0"}'}]}
    assert progress(last, 200) == (50, 200)
    assert progress(last, None) is None


def test_before_the_first_batch_nothing_is_known() -> None:
    assert progress(None, 10) is None
