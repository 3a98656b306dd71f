"""Commands that need no study: help, descriptions, sets, scripts; every complaint in one line."""

import pytest

import openbook as ob


@pytest.mark.parametrize(
    "command", ["study", "compare", "describe", "predict", "work", "rules", "draw", "sets", "export"]
)
def test_every_command_helps_with_an_example(command, good):
    told = good(command, "--help")
    assert "Usage: " in told
    assert f"Example: openbook {command}" in told
    assert f"\n  {command} " in good("--help")


def test_version(good):
    assert good("--version") == f"openbook {ob.__version__}\n"


def test_nothing_asked_is_helped(openbook):
    assert "Start here: openbook study weather" in openbook().output


def test_describe_a_set_and_a_file(here, good):
    told = good("describe", "weather")
    assert "14 rows, 5 columns, no cell missing, target 'play' (*)" in told
    (here / "t.csv").write_text("zip,b\n01,x\n02,y\n")
    assert "target" not in good("describe", "t.csv").splitlines()[0]
    assert "target 'b'" in good("describe", "t.csv", "--target", "b")
    assert "nominal" in good("describe", "t.csv", "--kind", "zip=nominal")


def test_describe_complains_in_one_line(complaint):
    assert "no column 'plai'. Did you mean 'play'?" in complaint("describe", "weather", "--target", "plai")
    assert "no bundled set 'wether'" in complaint("describe", "wether")


def test_sets_are_listed_with_their_targets(good):
    told = good("sets").splitlines()
    assert [line.split()[0] for line in told] == list(ob.sets())
    assert told[0].split()[:4] == ["weather", "14", "rows", "play"]


def test_export_prints_a_script(here, good):
    good("study", "weather", "--learner", "one_r")
    script = good("export", "weather/plan.toml")
    compile(script, "weather.py", "exec")
    assert "ob.load('weather')" in script
    assert good("export", "weather/plan.toml", "-o", "weather.py") == ""
    assert (here / "weather.py").read_text(encoding="utf-8") == script


def test_export_complains_in_one_line(here, complaint):
    assert "nothing.toml: No such file" in complaint("export", "nothing.toml")
    (here / "plan.toml").write_text("hello")
    assert "plan.toml: not TOML" in complaint("export", "plan.toml")
