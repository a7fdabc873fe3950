import { parseArgs } from 'node:util'

/** What the command line asks for. */
export interface Arguments {
  /** Names of parts; empty for all. */
  parts: string[]
  target: string
  json: string | null
  profile: boolean
  /** Where the profiles are kept for other tools; implies `profile`. */
  profileDir: string | null
  /** How long a run may wait for other programs to be quiet, in all. */
  patienceSeconds: number
  /** How long a soak lasts; null for as long as usual. */
  minutes: number | null
  quick: boolean
  help: boolean
}

/** Thrown for a command line that cannot be followed; the message says what is wrong with it. */
export class UsageError extends Error {}

/**
 * Reads the command line.
 *
 * @throws UsageError on an unknown option, part or target
 */
export function readArguments(
  argv: readonly string[],
  known: { parts: readonly string[]; targets: readonly [string, ...string[]] }
): Arguments {
  const { values, positionals } = parse(argv)
  for (const part of positionals) {
    if (!known.parts.includes(part)) throw new UsageError(`unknown part "${part}"; there are ${known.parts.join(', ')}`)
  }
  const target = values.target ?? known.targets[0]
  if (!known.targets.includes(target)) {
    throw new UsageError(`unknown target "${target}"; there are ${known.targets.join(', ')}`)
  }
  const patienceSeconds = Number(values.patience ?? 0)
  if (!(patienceSeconds >= 0)) throw new UsageError('--patience is a number of seconds')
  const minutes = values.minutes === undefined ? null : Number(values.minutes)
  if (minutes !== null && !(minutes > 0)) throw new UsageError('--minutes is a number above 0')
  return {
    parts: positionals,
    target,
    json: values.json ?? null,
    profile: values.profile === true || values['profile-dir'] !== undefined,
    profileDir: values['profile-dir'] ?? null,
    patienceSeconds,
    minutes,
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
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' }
      }
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
