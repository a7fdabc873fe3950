import { DrizzleQueryError } from 'drizzle-orm'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

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
 * The log of control. Secrets do not get into it by three ways at once: what is logged is chosen by name (never a whole
 * request), members named like a secret are redacted, and errors of the database are logged without their parameters.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    name: 'control',
    redact: depths.flatMap((depth) => secretNames.map((name) => `${depth}["${name}"]`.replace('.[', '['))),
    serializers: { err: describeError }
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

type LoggedError = { type: string; message: string; code?: string; stack?: string; cause?: LoggedError }

/** An error and its causes, as far as they may be logged. */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is not an Error was thrown' }
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    // Drizzle's own message lists the statement's parameters, and so does the stack that begins with it.
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack !== undefined && { stack: frames(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) })
  }
}

const frames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n')
