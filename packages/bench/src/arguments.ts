import { parseArgs } from 'node:util'

/** The parsed command line. */
export interface Arguments {
  /** Names of parts; empty for all. */
  parts: string[]
  target: string
  json: string | null
  profile: boolean
  /** The directory of saved profiles; implies `profile`. */
  profileDir: string | null
  /** The total time that a run may wait for a quiet machine. */
  patienceSeconds: number
  /** The duration of a soak; null: the default. */
  minutes: number | null
  /** The number of requests in the log; null: the default. */
  rows: number | null
  /** How often both sides start; null: the default. */
  pairs: number | null
  quick: boolean
  help: boolean
}

/** Thrown for an invalid command line. The message names the mistake. */
export class UsageError extends Error {}

/**
 * Reads the command line.
 *
 * @throws UsageError on an unknown option, part or target
 */
export function readArguments(
  argv: readonly string[],
  choices: { parts: readonly string[]; targets: readonly [string, ...string[]] }
): Arguments {
  const { values, positionals } = parse(argv)
  for (const part of positionals) {
    if (!choices.parts.includes(part))
      throw new UsageError(`unknown part "${part}"; there are ${choices.parts.join(', ')}`)
  }
  const target = values.target ?? choices.targets[0]
  if (!choices.targets.includes(target)) {
    throw new UsageError(`unknown target "${target}"; there are ${choices.targets.join(', ')}`)
  }
  const patienceSeconds = Number(values.patience ?? 0)
  if (!(patienceSeconds >= 0)) throw new UsageError('--patience is a number of seconds')
  const minutes = values.minutes === undefined ? null : Number(values.minutes)
  if (minutes !== null && !(minutes > 0)) throw new UsageError('--minutes is a number above 0')
  const rows = values.rows === undefined ? null : Number(values.rows)
  if (rows !== null && !(Number.isInteger(rows) && rows > 0)) throw new UsageError('--rows is a whole number above 0')
  const pairs = values.pairs === undefined ? null : Number(values.pairs)
  if (pairs !== null && !(Number.isInteger(pairs) && pairs > 0))
    throw new UsageError('--pairs is a whole number above 0')
  return {
    parts: positionals,
    target,
    json: values.json ?? null,
    profile: values.profile === true || values['profile-dir'] !== undefined,
    profileDir: values['profile-dir'] ?? null,
    patienceSeconds,
    minutes,
    rows,
    pairs,
    quick: values.quick === true,
    help: values.help === true
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        target: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'boolean' },
        'profile-dir': { type: 'string' },
        patience: { type: 'string' },
        minutes: { type: 'string' },
        rows: { type: 'string' },
        pairs: { type: 'string' },
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' }
      }
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
