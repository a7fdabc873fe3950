import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CatalogDiffRequest, CatalogDiffResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import type { Input } from '../commands/action.ts'
import type { CommandIo } from '../commands/command.ts'
import { UsageError } from '../commands/command-error.ts'
import { printable, table } from '../commands/show.ts'

export const versionOption = { version: { value: 'N', text: 'an earlier catalog, instead of FILE' } } as const

/** Reads the catalog that a person named. @throws UsageError without a file or a version, or if the file cannot be read */
export function readCandidate(input: Input, io: Pick<CommandIo, 'cwd'>): CatalogDiffRequest {
  const [file] = input.operands
  const version = input.text('version')
  if ((file === undefined) === (version === null)) throw new UsageError('Give either a catalog file or --version.')
  if (version !== null) {
    if (!/^[1-9]\d{0,8}$/.test(version))
      throw new UsageError('--version: write a number. See: tollgate catalog history')
    return { version: Number(version) }
  }
  return { yaml: readNamed(file!, io) }
}

/** The text of a file that a person named. @throws UsageError if it cannot be read */
export function readNamed(file: string, io: Pick<CommandIo, 'cwd'>): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, cause)
  }
}

/** What a catalog would change, for people. */
export function describeDiff({ problems, warnings, changes }: CatalogDiffResponse): string {
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${title}\n${texts.map((text) => `  ${printable(text)}`).join('\n')}`]
  return [
    ...list('It cannot be applied:', problems),
    ...list('Read before you apply it:', warnings),
    table(
      [
        ['CHANGE', 'FROM', 'TO', 'ACCOUNTS', 'MEANING'],
        ...changes.map(({ path, from, to, accounts, meaning }) => [path, from, to, accounts, meaning])
      ],
      'It changes nothing.'
    )
  ].join('\n\n')
}
