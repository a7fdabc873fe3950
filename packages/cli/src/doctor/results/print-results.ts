import { stripVTControlCharacters, styleText } from 'node:util'
import { count } from './count.ts'
import { isFinding, parts, type Result } from './result.ts'

const severityWidth = 9
const colours = { ok: 'green', skipped: 'gray', warning: 'yellow', error: 'red' } as const

export interface Counts {
  readonly errors: number
  readonly warnings: number
}

export function countFindings(results: readonly Result[]): Counts {
  const having = (severity: Result['severity']) => results.filter((result) => result.severity === severity).length
  return { errors: having('error'), warnings: having('warning') }
}

/** The report for people. @param isColoured whether to use the colour codes of terminals */
export function printResults(results: readonly Result[], isColoured: boolean): string {
  const partWidth = Math.max(...parts.map((part) => part.length)) + 2
  const indent = ' '.repeat(partWidth + severityWidth)
  const lines = inOrder(results).flatMap((result) => {
    const { part, severity, what } = result
    const label = isColoured
      ? styleText(colours[severity], severity.padEnd(severityWidth), { validateStream: false })
      : severity.padEnd(severityWidth)
    const first = `${part.padEnd(partWidth)}${label}${oneLine(what)}`
    if (!isFinding(result)) return [first]
    return [first, `${indent}Why: ${oneLine(result.why)}`, `${indent}Do:  ${oneLine(result.fix)}`]
  })
  return [...lines, '', summarise(countFindings(results)), ''].join('\n')
}

/** The report for programs. */
export function printJson(results: readonly Result[]): string {
  const { errors, warnings } = countFindings(results)
  return `${JSON.stringify({ ok: errors === 0, errors, warnings, results: inOrder(results) }, null, 2)}\n`
}

function inOrder(results: readonly Result[]): Result[] {
  return parts.flatMap((part) => results.filter((result) => result.part === part))
}

function summarise({ errors, warnings }: Counts): string {
  if (errors === 0 && warnings === 0) return 'No problems found.'
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}

/** Other servers' texts could otherwise write control codes to the terminal. */
const oneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/\s*[\r\n]+\s*/g, ' ')
