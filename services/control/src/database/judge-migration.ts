/**
 * Judges whether the release before can go on working while and after a migration is applied. Replicas of both releases
 * run at once during an update, and a rollback leaves the new schema in place.
 *
 * A migration only adds: tables, indexes, functions, columns that old inserts may leave out. Everything else is the end
 * of a change in three steps: one release adds the new form, the next one stops using the old form, and a later one
 * removes it. Such a migration begins with the line `-- contract: unused since <release>`. A statement that cannot be
 * judged here may have the line `-- additive: <why>` before it.
 */

/** @returns one line for each statement that is not additive, and not declared; empty if all are */
export function judgeMigration(sql: string, earlierReleases: readonly string[]): string[] {
  const contract = /^-- contract: unused since (\S+)$/m.exec(sql)?.[1]
  if (contract !== undefined) {
    return earlierReleases.includes(contract) ? [] : [`"-- contract" names ${contract}, which is no earlier release`]
  }
  const statements = statementsOf(sql)
  const created = new Set(statements.flatMap(({ text }) => /^create table (\S+)/.exec(text)?.[1] ?? []))
  return statements
    .filter(({ text, isDeclared }) => !isDeclared && !isAdditive(text, created))
    .map(({ text }) => text.slice(0, 100))
}

interface Statement {
  /** In lower case, with single spaces, without quotes and comments. */
  readonly text: string
  readonly isDeclared: boolean
}

function statementsOf(sql: string): Statement[] {
  return sql
    .split('--> statement-breakpoint')
    .flatMap((part) => (part.includes('$$') ? [part] : part.split(/;\s*$/m)))
    .map((part) => ({
      text: part
        .replaceAll(/^\s*--.*$/gm, '')
        .replaceAll('"', '')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/\( /g, '(')
        .trim()
        .toLowerCase(),
      isDeclared: /^\s*-- additive: \S/m.test(part)
    }))
    .filter(({ text }) => text !== '' && text !== ';')
}

const alwaysAdditive = [
  /^create (table|sequence|type|view|function|index) /,
  /^alter table \S+ alter column \S+ (set default|drop not null)/,
  /^(comment on|grant) /
]

function isAdditive(text: string, created: ReadonlySet<string>): boolean {
  if (alwaysAdditive.some((pattern) => pattern.test(text))) return true
  const addedColumn = /^alter table \S+ add column \S+ (.*)$/.exec(text)?.[1]
  // Inserts of the release before leave it out.
  if (addedColumn !== undefined)
    return !/\bnot null\b/.test(addedColumn) || /\b(default|generated always)\b/.test(addedColumn)
  // Rows of the release before may break a rule that is new for an old table.
  const ruled =
    /^alter table (\S+) add constraint /.exec(text)?.[1] ??
    /^create unique index \S+ on (\S+)/.exec(text)?.[1] ??
    /^insert into (\S+)/.exec(text)?.[1]
  return ruled !== undefined && created.has(ruled)
}
