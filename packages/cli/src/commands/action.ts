import type { CommandIo } from './command.ts'
import { UsageError } from './command-error.ts'
import type { ExitCode } from './exit-codes.ts'

/** An option of an action. */
export interface OptionText {
  /** What its value stands for, such as `TEXT`; null for an option without a value. */
  readonly value: string | null
  readonly text: string
  /** Whether it may be given several times. */
  readonly isRepeatable?: true
}
export type OptionTexts = Readonly<Record<string, OptionText>>

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
export function inputOf(values: Values, operands: readonly string[]): Input {
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
