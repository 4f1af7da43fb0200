"""Puts the Arrow Flight SQL JDBC driver into a Maven repository folder and prints the jar's path.

python fetch_jdbc.py REPOSITORY_DIR
"""

import sys
from pathlib import Path

from jgo.maven import MavenContext, PythonResolver

VERSION = "18.3.0"


def main():
    context = MavenContext(repo_cache=Path(sys.argv[1]), resolver=PythonResolver())
    driver = context.project("org.apache.arrow", "flight-sql-jdbc-driver").at_version(VERSION)
    print(driver.artifact().resolve())


if __name__ == "__main__":
    main()
