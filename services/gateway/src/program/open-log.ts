import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { loadPrettyLines } from '@tollgate/service/log/pretty-lines.ts'
import pino, { type Logger } from 'pino'
import type { GatewayConfig } from '../config.ts'
import { createLogOutput } from '../telemetry/log-output.ts'

/** Opens the log of this process, which is written to its end when the process ends. */
export async function openLog({ LOG_FORMAT: format, LOG_LEVEL: level }: GatewayConfig): Promise<Logger> {
  const output = createLogOutput(format === 'pretty' ? await loadPrettyLines(process.stdout.isTTY === true) : null)
  process.on('exit', () => output.end())
  return pino({ level, name: 'gateway' }, output)
}

/** Warns of variables that are probably misspelt. */
export function warnOfVariables(log: Logger): void {
  for (const warning of findUnknownVariables(process.env)) log.warn(warning)
}
