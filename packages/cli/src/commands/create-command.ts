import { parseArgs } from 'node:util'
import { type Action, inputOf, type OptionTexts } from './action.ts'
import type { Command } from './command.ts'
import { UsageError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

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
