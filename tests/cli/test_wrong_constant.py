"""The comparison with published numbers can fail: a processor at half speed is found out."""

LIGHT_LOAD = "lontalk-bulletin-1992/light-load.csv"
SIZE = ("--experiment", "A", "--experiment", "C", "--set", "run.duration=5 s", "--replications", "2")


def test_the_model_meets_the_published_light_load_numbers(sojourn):
    assert sojourn("study", "lontalk-response-time", *SIZE, "--out", "right").returncode == 0

    done = sojourn("compare", "right", LIGHT_LOAD, "--tolerance", "0.1")

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_deliberately_wrong_constant_makes_compare_fail(sojourn):
    wrong = ("--set", "station.input_clock=5 MHz")
    assert sojourn("study", "lontalk-response-time", *SIZE, *wrong, "--out", "wrong").returncode == 0

    done = sojourn("compare", "wrong", LIGHT_LOAD, "--tolerance", "0.1")

    assert done.returncode == 1
    assert "transaction rate" in done.stdout
    assert "differs" in done.stdout
