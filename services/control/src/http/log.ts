import { loadPrettyLines } from '@tollgate/service/log/log-lines.ts'
import { DrizzleQueryError } from 'drizzle-orm'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { ownStatus } from '../provider-health/provider-status.ts'

const secretNames = [
  'password',
  'cookie',
  'set-cookie',
  'authorization',
  'apikey',
  'token_hash',
  'access_token',
  'value'
]
const depths = ['', '*.', '*.*.']

/**
 * Creates control's log. Three measures keep secrets out. Code names what it logs, never a whole request. Members named like
 * a secret are redacted. Database errors are logged without parameters.
 */
export function createLog(level: string, output?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    name: 'control',
    redact: depths.flatMap((depth) => secretNames.map((name) => `${depth}["${name}"]`.replace('.[', '['))),
    serializers: { err: describeError }
  }
  return output === undefined ? pino(options) : pino(options, output)
}

/** The standard output, with lines for people: `LOG_FORMAT=pretty`. */
export async function prettyOutput(): Promise<DestinationStream> {
  const prettyLine = await loadPrettyLines(process.stdout.isTTY === true)
  const output = pino.destination({ sync: true })
  return { write: (line) => void output.write(prettyLine(line)) }
}

interface LoggedError {
  type: string
  message: string
  code?: string
  /** With which a provider answered. */
  status?: number
  stack?: string
  cause?: LoggedError
}

/** Describes an error and its causes, without secrets. */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is not an Error was thrown' }
  const { code } = error as { code?: unknown }
  const status = ownStatus(error)
  return {
    type: error.name,
    // Drizzle's message lists the statement's parameters, and the stack begins with the message.
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    ...(typeof code === 'string' && { code }),
    ...(status !== null && { status }),
    ...(error.stack !== undefined && { stack: frames(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) })
  }
}

const frames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n')
