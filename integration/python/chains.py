"""Random chains of WITH: each element reads earlier ones, several times and in all places."""

import random

COLUMNS = "id, k, v, name"


class Chains:
    """The same statements for each seed. All elements have the columns of COLUMNS."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def where(self, alias=""):
        at = f"{alias}." if alias else ""
        return self.rng.choice(["", "", f" WHERE {at}v > 1", f" WHERE {at}name IS NULL OR {at}k = 1", f" WHERE {at}id < 40 AND {at}name <> 'a'"])

    def subquery(self, source):
        inner = self.rng.choice(["", " WHERE v > 0.6", " WHERE name = 'b'", " ORDER BY id LIMIT 5"])
        return self.rng.choice([
            f"id IN (SELECT id FROM {source}{inner})", f"k IN (SELECT k FROM {source} WHERE k IS NOT NULL)", f"id NOT IN (SELECT id FROM {source} WHERE id % 3 = 0)",
            f"EXISTS (FROM {source} e WHERE e.id = q.id{self.rng.choice(['', ' AND e.v > 1'])})", f"NOT EXISTS (FROM {source} e WHERE e.k = q.k AND e.id > q.id)",
            f"v <= (SELECT max(v) FROM {source}{self.rng.choice(['', ' WHERE id < 30'])})", f"(SELECT count(*) FROM {source} e WHERE e.k = q.k) > 1",
            f"id > ANY (SELECT id FROM {source})", f"id IN (SELECT a.id FROM {source} a JOIN {source} b USING (id) WHERE b.v > 0.6)",
        ])

    def element(self, sources):
        one, two = self.rng.choice(sources), self.rng.choice(sources)
        return self.rng.choice([
            f"SELECT {COLUMNS} FROM {one}{self.where()}",
            f"SELECT DISTINCT {COLUMNS} FROM {one}{self.where()}",
            f"SELECT id, k + 1 AS k, v * 2 AS v, upper(name) AS name FROM {one}{self.where()}",
            *[f"SELECT {COLUMNS} FROM {one} q WHERE {self.subquery(two)}"] * 4,
            f"SELECT a.id, b.k, a.v, b.name FROM {one} a JOIN {two} b ON a.id = b.id{self.where('a')}",
            f"SELECT a.id, b.k, a.v, b.name FROM {one} a LEFT JOIN (SELECT * FROM {two} q WHERE {self.subquery(one)}) b USING (id){self.where('a')}",
            f"SELECT {COLUMNS} FROM {one} a {self.rng.choice(['SEMI', 'ANTI'])} JOIN {two} b ON a.id = b.id{self.where('a')}",
            f"SELECT {COLUMNS} FROM {one} {self.rng.choice(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'])} SELECT {COLUMNS} FROM {two}{self.where()}",
            f"SELECT id, max(k) AS k, min(v) AS v, max(name) AS name FROM {one}{self.where()} GROUP BY id",
            f"SELECT id, k, sum(v) OVER (PARTITION BY k) AS v, name FROM {one}",
            f"SELECT {COLUMNS} FROM {one} ORDER BY ALL LIMIT {self.rng.randrange(1, 40)}",
            f"SELECT id, (SELECT max(e.k) FROM {two} e WHERE e.id <= q.id) AS k, v, name FROM {one} q",
            f"SELECT {COLUMNS} FROM (WITH w AS (SELECT {COLUMNS} FROM {one}) SELECT w.* FROM w JOIN w x ON w.id = x.id WHERE w.id IN (SELECT id FROM w)) q WHERE {self.subquery(two)}",
        ])

    def statement(self):
        sources, parts = ["l", "r", "lone"], []
        for i in range(self.rng.randrange(1, 6)):
            parts.append(f"c{i} AS {self.rng.choice(['', '', '', 'MATERIALIZED ', 'NOT MATERIALIZED '])}({self.element(sources)})")
            sources = [*sources[-2:], f"c{i}", f"c{i}"]
        last = sources[-1]
        return "WITH " + ", ".join(parts) + self.rng.choice([
            f" SELECT * FROM {last} q WHERE {self.subquery(last)}", f" SELECT k, count(*) AS n, max(v) AS v FROM {last}{self.where()} GROUP BY ALL",
            f" {self.element(sources)}"])

    def all(self, n):
        for _ in range(n):
            yield self.statement()
