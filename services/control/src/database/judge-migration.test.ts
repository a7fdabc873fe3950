import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { judgeMigration } from './judge-migration.ts'
import { migrationsFolder } from './migrations-folder.ts'

/** The last migration of each release. Add a line with each release. */
const releases = [{ version: '0.3.0', last: '0000_baseline' }]
const versions = releases.map(({ version }) => version)

const journal = JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8')) as {
  entries: Array<{ tag: string }>
}
const tags = journal.entries.map(({ tag }) => tag)

test('every migration since the last release leaves the release before working', async () => {
  const last = tags.indexOf(releases.at(-1)!.last)
  assert.ok(last >= 0)
  for (const tag of tags.slice(last + 1)) {
    assert.deepEqual(judgeMigration(readFileSync(`${migrationsFolder}/${tag}.sql`, 'utf8'), versions), [], tag)
  }
})

for (const statement of [
  'CREATE TABLE "notes" ("id" uuid PRIMARY KEY NOT NULL);',
  'CREATE INDEX "notes_at" ON "notes" USING btree ("at");',
  'ALTER TABLE "keys" ADD COLUMN "note" text;',
  'ALTER TABLE "keys" ADD COLUMN "uses" bigint DEFAULT 0 NOT NULL;',
  'ALTER TABLE "keys" ALTER COLUMN "label" DROP NOT NULL;',
  'CREATE TABLE "a" ("id" text);--> statement-breakpoint\nALTER TABLE "a" ADD CONSTRAINT "b" CHECK (true);',
  'CREATE FUNCTION "f"() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  DROP TABLE "keys";\nEND\n$$;',
  '-- additive: both releases may write this status\nALTER TABLE "keys" DROP CONSTRAINT "keys_status";',
  '-- contract: unused since 0.3.0\nALTER TABLE "keys" DROP COLUMN "note";'
]) {
  test(`is additive or declared: ${statement}`, async () => assert.deepEqual(judgeMigration(statement, versions), []))
}

for (const statement of [
  'DROP TABLE "keys";',
  'ALTER TABLE "keys" DROP COLUMN "label";',
  'ALTER TABLE "keys" RENAME COLUMN "label" TO "name";',
  'ALTER TABLE "keys" ADD COLUMN "note" text NOT NULL;',
  'ALTER TABLE "keys" ALTER COLUMN "label" SET NOT NULL;',
  'ALTER TABLE "keys" ALTER COLUMN "label" SET DATA TYPE integer;',
  'ALTER TABLE "keys" ADD CONSTRAINT "short" CHECK (length("label") < 9);',
  'CREATE UNIQUE INDEX "one_label" ON "keys" USING btree ("label");',
  'CREATE OR REPLACE FUNCTION "f"() RETURNS void LANGUAGE sql AS $$ $$;',
  'CREATE TABLE "a" ("id" text);\nDROP TABLE "keys";',
  '-- contract: unused since 0.9.0\nALTER TABLE "keys" DROP COLUMN "note";'
]) {
  test(`is refused: ${statement}`, async () => assert.equal(judgeMigration(statement, versions).length, 1))
}
