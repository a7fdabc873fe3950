import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandIo } from '../commands/command.ts'
import { commandTable, runTollgate } from '../tollgate/commands.ts'

export interface Ran {
  code: number
  out: string
  err: string
  /** Standard output, parsed. */
  json<Result = Record<string, unknown>>(): Result
  /** The questions that were asked. */
  questions: string[]
}

export interface FakeTerminal {
  /** Where sessions are stored. */
  readonly configHome: string
  /** Runs a command line. @param answers what the person types, one for each question */
  run(args: string, options?: { answers?: string[]; isTerminal?: boolean; env?: Record<string, string> }): Promise<Ran>
}

/**
 * A terminal with its own directory for sessions. Arguments are split at spaces; `~` stands for a space inside of one.
 */
export function createFakeTerminal(env: Record<string, string> = {}): FakeTerminal {
  const configHome = mkdtempSync(join(tmpdir(), 'tollgate-command-'))
  return {
    configHome,
    async run(args, { answers = [], isTerminal = false, env: more = {} } = {}) {
      const ran = { out: '', err: '', questions: [] as string[] }
      const left = [...answers]
      const io: CommandIo = {
        out(text) {
          ran.out += text
        },
        err(text) {
          ran.err += text
        },
        env: { XDG_CONFIG_HOME: configHome, ...env, ...more },
        cwd: configHome,
        isTerminal,
        async ask(question) {
          ran.questions.push(question)
          const answer = left.shift()
          if (answer === undefined) throw new Error(`nobody answers "${question}"`)
          return answer
        }
      }
      const words = args.split(' ').map((word) => word.replaceAll('~', ' '))
      const code = await runTollgate(words, io, commandTable)
      return { ...ran, code, json: () => JSON.parse(ran.out) }
    }
  }
}
