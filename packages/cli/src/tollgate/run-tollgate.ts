import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { type CommandIo, UsageError } from '../commands/command.ts'
import { completeEnv } from '../start/config.ts'
import { commandTable, runTollgate } from './commands.ts'

const interrupted = 130

// The process that started this one has ended, or the person pressed Ctrl-C.
process.on('disconnect', () => process.exit(interrupted))
process.channel?.unref()
process.on('SIGINT', () => process.exit(interrupted))
// The reader of a pipe may stop early, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const io = openTerminal()
process.exitCode = await runTollgate(process.argv.slice(2), io, commandTable)
io.close()

/** The terminal, or the pipes, of this process. `close` ends reading. */
function openTerminal(): CommandIo & { close(): void } {
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
