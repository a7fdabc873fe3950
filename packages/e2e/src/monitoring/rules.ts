import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parse } from 'yaml'

/** Debian's package `prometheus` has both programs. null if not installed. */
export const promtool = findProgram(['promtool'])

export const prometheus = findProgram(['prometheus'])

const texts = globSync(workspaceFile('deploy/grafana/dashboards/*.json')).map((file) => readFileSync(file, 'utf8'))

/** The PromQL of all panels. */
export const dashboardQueries = texts
  .flatMap((text) => [...text.matchAll(/"expr": ?("(?:[^"\\]|\\.)*")/g)])
  .map(([, query]) => JSON.parse(query!) as string)

export const rulesPath = workspaceFile('deploy/prometheus/tollgate.rules.yaml')
export const ruleTestsPath = workspaceFile('deploy/prometheus/tests.yaml')

export interface Alert {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: Record<'summary' | 'description' | 'runbook_url', string>
}
export interface Recording {
  record: string
  expr: string
}
interface RulesFile {
  groups: Array<{ name: string; rules: Array<Alert | Recording> }>
}

export const rulesText = readFileSync(rulesPath, 'utf8')
const rules = (parse(rulesText) as RulesFile).groups.flatMap((group) => group.rules)
export const alerts = rules.filter((rule) => 'alert' in rule)
export const recordings = rules.filter((rule) => 'record' in rule)

/** The metrics that a PromQL expression reads, recorded ones included. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"|'[^']*'/g, '""')
    .replaceAll(/\b(?:by|on|without|ignoring)\s*\([^)]*\)/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
  return [...new Set(bare.match(/\b(?:up|ALERTS|(?:tollgate|gen_ai|http|nodejs|process)[_:][\w:]+)\b/g) ?? [])]
}

/** The name of an alert's page: `TollgateRedisDown` → `redis-down`. */
export const pageOf = (alert: string): string =>
  alert
    .replace('Tollgate', '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, '-$&')
    .toLowerCase()

/** Runs promtool. @throws Error with what it found */
export async function runPromtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(promtool!, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`promtool ${args.join(' ')}: ${error.stdout}\n${error.stderr}`)
  })
  return stdout
}
