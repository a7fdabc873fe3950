import { parseArgs } from 'node:util'
import { type Command, CommandError, type CommandIo, type ExitCode, exitCodes, UsageError } from './command.ts'

const common: OptionTexts = {
  json: { value: null, text: 'print the result as JSON' },
  help: { value: null, text: 'print this text' }
}

/** Makes a command of its actions. The usage text and the parser come from the same tables. */
export function createCommand(name: string, summary: string, actions: readonly Action[]): Command {
  const usage = actions.map((action) => describeAction(name, action)).join('\n\n')
  return {
    name,
    summary,
    usage,
    async run(args, io) {
      const action = actions.find((one) => one.name === '') ?? actions.find((one) => one.name === args[0])
      if (action === undefined) {
        if (args.includes('--help') || args.includes('-h')) {
          io.out(`${usage}\n`)
          return exitCodes.done
        }
        const names = actions.map((one) => one.name).join(', ')
        const what = args[0] === undefined ? 'Name an action' : `"${args[0]}" is unknown`
        throw new UsageError(`${what}: tollgate ${name} has ${names}. Run: tollgate help ${name}`)
      }
      const input = parse(name, action, action.name === '' ? args : args.slice(1))
      if (input.has('help')) {
        io.out(`${describeAction(name, action)}\n`)
        return exitCodes.done
      }
      const { operands = [] } = action
      const needed = operands.filter((operand) => !operand.startsWith('['))
      const missing = needed[input.operands.length]
      if (missing !== undefined) throw new UsageError(`${missing} is missing. ${hint(name, action)}`)
      if (input.operands.length > operands.length) {
        throw new UsageError(`Unexpected: "${input.operands[operands.length]}". ${hint(name, action)}`)
      }
      return action.run(input, io)
    }
  }
}

const fullName = (command: string, { name }: Action): string => (name === '' ? command : `${command} ${name}`)
const hint = (command: string, action: Action): string => `Run: tollgate ${fullName(command, action)} --help`

function parse(command: string, action: Action, args: readonly string[]): ReturnType<typeof inputOf> {
  const options = Object.fromEntries(
    Object.entries({ ...action.options, ...common }).map(([option, { value, isRepeatable }]) => [
      option,
      {
        type: value === null ? ('boolean' as const) : ('string' as const),
        ...(isRepeatable === true && { multiple: true }),
        ...(option === 'help' && { short: 'h' })
      }
    ])
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return inputOf(values, positionals)
  } catch (cause) {
    const [sentence] = (cause as Error).message.split(/\.? To specify/)
    throw new UsageError(`${sentence?.replace(/\.$/, '')}. ${hint(command, action)}`, cause)
  }
}

function describeAction(command: string, action: Action): string {
  const operands = (action.operands ?? []).join(' ')
  const options = Object.entries({ ...action.options, json: common.json! })
  const left = options.map(([option, { value }]) => `  --${option}${value === null ? '' : ` ${value}`}`)
  const width = Math.max(...left.map((text) => text.length)) + 2
  return [
    `tollgate ${[fullName(command, action), operands].filter(Boolean).join(' ')}`,
    `  ${action.summary}`,
    ...options.map(
      ([, { text, isRepeatable }], index) =>
        `${left[index]!.padEnd(width)}${text}${isRepeatable === true ? ' (may be repeated)' : ''}`
    )
  ].join('\n')
}

/** An option of an action. */
interface OptionText {
  /** What its value stands for, such as `TEXT`; null for an option without a value. */
  readonly value: string | null
  readonly text: string
  /** Whether it may be given several times. */
  readonly isRepeatable?: true
}

type OptionTexts = Readonly<Record<string, OptionText>>

/** What a person typed after the action's name. */
export interface Input {
  /** The operands, in order. An optional one may be missing. */
  readonly operands: readonly string[]
  /** @returns null if the option is not given */
  text(option: string): string | null
  /** @throws UsageError if the option is not given */
  required(option: string): string
  /** Every value of a repeatable option. */
  texts(option: string): readonly string[]
  has(option: string): boolean
  /** Whether the result is printed as JSON. */
  readonly isJson: boolean
}

/** One form of a command, such as `account suspend`. */
export interface Action {
  /** Its name after the command's; empty for a command with a single form. */
  readonly name: string
  readonly summary: string
  /** Names of operands; an optional one is in brackets. */
  readonly operands?: readonly string[]
  readonly options?: OptionTexts
  /** @throws CommandError */
  run(input: Input, io: CommandIo): Promise<ExitCode>
}

type Values = Readonly<Record<string, string | boolean | Array<string | boolean> | undefined>>

/** Gives typed access to parsed values. */
function inputOf(values: Values, operands: readonly string[]): Input {
  const text = (option: string): string | null => {
    const value = values[option]
    return typeof value === 'string' ? value : null
  }
  return {
    operands,
    text,
    required(option) {
      const value = text(option)
      if (value === null || value === '') throw new UsageError(`--${option} is missing.`)
      return value
    },
    texts: (option) => [values[option] ?? []].flat().filter((value): value is string => typeof value === 'string'),
    has: (option) => values[option] !== undefined && values[option] !== false,
    isJson: values.json === true
  }
}

/** Prints a result: as JSON if asked for, else as text for people. */
export function show(input: Input, io: CommandIo, result: unknown, toText: () => string): void {
  io.out(input.isJson ? `${JSON.stringify(result)}\n` : `${toText()}\n`)
}

/**
 * Aligns the cells of rows. The first row has the titles.
 *
 * @param empty what is shown if there is only the first row
 */
export function table(rows: ReadonlyArray<readonly unknown[]>, empty: string): string {
  if (rows.length < 2) return empty
  const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? '-'))))
  const widths = texts[0]!.map((_title, column) => Math.max(...texts.map((row) => row[column]!.length)))
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Aligns names and values. */
export function pairs(values: ReadonlyArray<readonly [string, unknown]>): string {
  const width = Math.max(...values.map(([name]) => name.length))
  return values.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value ?? '-'))}`).join('\n')
}

/** Customers choose names and labels: a control character in one could change what a terminal shows. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

/** The option of every action that destroys something. */
export const yesOption = { yes: { value: null, text: 'do not ask for a confirmation' } } as const

/**
 * Asks before something is destroyed, unless `--yes` is given.
 *
 * @throws CommandError if the person declines; UsageError without `--yes` and without a terminal
 */
export async function confirm(input: Input, io: CommandIo, question: string): Promise<void> {
  if (input.has('yes')) return
  if (!io.isTerminal) throw new UsageError('This needs a confirmation. Add --yes.')
  const answer = await io.ask(`${question} Type "yes": `)
  if (answer.trim().toLowerCase() !== 'yes') {
    throw new CommandError('Nothing was changed.', { exitCode: exitCodes.usage })
  }
}

/** Takes the operator's password from `TOLLGATE_PASSWORD`, or asks for it. */
export async function readPassword(io: CommandIo): Promise<string> {
  const password = io.env.TOLLGATE_PASSWORD
  if (password !== undefined && password !== '') return password
  const typed = await io.ask('Your password: ', { hidden: true })
  if (typed === '') throw new UsageError('The password is empty. Type it, or set TOLLGATE_PASSWORD.')
  return typed
}
