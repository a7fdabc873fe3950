import { inOneLine } from '../snippets.ts'

const maxLineLength = 90

/** JSON for readers: what is short stands in one line, at every depth. */
export function writeJson(value: unknown, indent = ''): string {
  const line = inOneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= maxLineLength) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => writeJson(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${writeJson(one, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
