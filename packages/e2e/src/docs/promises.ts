import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'

/** A row of the table in `docs/guarantees.md`. */
export interface GuaranteedPromise {
  readonly promise: string
  /** The file that proves it, from the root. */
  readonly file: string
  /** A part of the test's name; of a command, the name of what it runs. */
  readonly test: string
  /** The command that runs it, such as `npm test`. */
  readonly command: string
}

const row = /^\| (\S.*?) +\| `([^`]+)`: (\S.*?) +\| `(npm [^`]+)` +\|$/gm

export function readPromises(): GuaranteedPromise[] {
  const text = readFileSync(workspaceFile('docs/guarantees.md'), 'utf8')
  return [...text.matchAll(row)].map(([, promise, file, test, command]) => ({
    promise: promise!,
    file: file!,
    test: test!,
    command: command!
  }))
}
