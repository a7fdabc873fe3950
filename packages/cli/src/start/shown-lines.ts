const warning = 40
const levelNames: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal'
}

/**
 * Decides which lines of the programs' logs the terminal shows, and how.
 *
 * The services log JSON lines with a level. Other lines come from outside the log and are always shown. A repeated line of
 * the same program is skipped, because a lost connection is logged several times a second.
 *
 * @param shown `problems`: warnings and errors only
 * @returns a function that returns the line to show, or null
 */
export function createLineFilter(shown: 'problems' | 'all'): (part: string, line: string) => string | null {
  const last = new Map<string, string>()
  return (part, line) => {
    const text = describeLine(line, shown)
    if (text === null || (shown === 'problems' && last.get(part) === text)) return null
    last.set(part, text)
    return `[${part}] ${text}`
  }
}

function describeLine(line: string, shown: 'problems' | 'all'): string | null {
  if (line.trim() === '') return null
  const entry = parseEntry(line)
  if (entry === null) return line
  if (shown === 'problems' && entry.level < warning) return null
  const { level, msg, err } = entry
  const name = levelNames[level] ?? String(level)
  return [name, msg, err?.message].filter((text) => text !== undefined && text !== '').join(': ')
}

interface LogEntry {
  level: number
  msg?: string
  err?: { message?: string }
}

function parseEntry(line: string): LogEntry | null {
  if (!line.startsWith('{')) return null
  try {
    const entry = JSON.parse(line) as LogEntry
    return typeof entry.level === 'number' ? entry : null
  } catch {
    return null
  }
}
