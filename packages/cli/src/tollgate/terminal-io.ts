import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import type { CommandIo } from '../commands/command.ts'
import { UsageError } from '../commands/command-error.ts'
import { completeEnv } from '../start/env-file.ts'

/** The terminal, or the pipes, of this process. `close` ends reading. */
export function openTerminal(): CommandIo & { close(): void } {
  const { stdin, stdout, stderr } = process
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true
  // One reader for all answers: a second one would lack what the first has already read.
  let reader: AsyncIterator<string> | null = null
  let lines: Interface | null = null
  let isHidden = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stderr.write(chunk)
      done()
    }
  })

  async function ask(question: string, { hidden = false } = {}): Promise<string> {
    if (isTerminal) stderr.write(question)
    isHidden = hidden
    lines ??= createInterface({ input: stdin, output: echo, terminal: isTerminal })
    reader ??= lines[Symbol.asyncIterator]()
    const line = await reader.next()
    if (hidden && isTerminal) stderr.write('\n')
    isHidden = false
    if (line.done === true) throw new UsageError(`Standard input ended before the answer to "${question.trim()}".`)
    return line.value
  }

  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env: completeEnv(process.env, '.env'),
    cwd: process.cwd(),
    isTerminal,
    ask,
    close: () => lines?.close()
  }
}
