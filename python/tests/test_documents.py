"""The examples in docstrings and in the manual, and the table of names."""

import doctest
import importlib
import os
import pkgutil
import re
import unittest
from pathlib import Path

import referee

ROOT = Path(__file__).resolve().parents[2]
NAMES = [module.name for module in pkgutil.iter_modules(referee.__path__)]
MODULES = sorted(name for name in NAMES if not name.startswith("_"))


class Examples(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)

    def test_docstrings(self):
        attempted = {}
        for name in MODULES:
            module = importlib.import_module(f"referee.{name}")
            failed, attempted[name] = doctest.testmod(module)
            self.assertEqual(failed, 0, name)
        self.assertEqual([name for name, count in attempted.items() if count == 0], ["rules"])

    def test_sessions_of_the_manual(self):
        result = doctest.testfile(
            str(ROOT / "docs/python.md"), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
        )
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 15)

    def test_wrappers_of_the_manual_are_those_of_the_examples(self):
        manual = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
        for shape in ("little_go", "tcp", "codingame", "xmlrpc"):
            text = (ROOT / f"examples/agents/{shape}/bot.py").read_text(encoding="utf-8")
            self.assertEqual(len([block for block in blocks if block in text and "class " in block]), 1, shape)


class Names(unittest.TestCase):
    def test_every_part_is_public(self):
        self.assertEqual(MODULES, [name for name in referee.__all__ if name.islower()])
        self.assertEqual(dir(referee), sorted(referee.__all__))
        for name in referee.__all__:
            self.assertIsNotNone(getattr(referee, name), name)
        with self.assertRaisesRegex(AttributeError, "module 'referee' has no attribute 'Bott'"):
            referee.Bott

    def test_a_bot_comes_with_all_that_it_imports(self):
        text = (ROOT / "referee/src/embedded.rs").read_text(encoding="utf-8")
        (names,) = re.findall(r"python_module!\[(.*?)\]", text, re.DOTALL)
        copied = set(re.findall(r'"(\w+)\.py"', names))
        for name in copied - {"__init__"}:
            source = (ROOT / f"python/referee/{name}.py").read_text(encoding="utf-8")
            self.assertLessEqual(set(re.findall(r"^from \.(\w+) import", source, re.MULTILINE)), copied)
        bots = {"anytime", "bot", "bridge", "client", "programs"}
        private = {"_asked", "_child", "_errors", "_submission", "_values"}
        self.assertEqual(copied, {"__init__", "__main__", "boards", "games", "rules", *private, *bots})


if __name__ == "__main__":
    unittest.main()
