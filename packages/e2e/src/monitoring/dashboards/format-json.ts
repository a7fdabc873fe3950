const maxColumns = 120

/** JSON with each value on one line if it fits, else with one member per line: the format of the linter, and easy to compare. */
export function formatJson(value: unknown, indent = '', columnsUsed = 0): string {
  const line = onOneLine(value)
  if (value === null || typeof value !== 'object' || indent.length + columnsUsed + line.length < maxColumns) return line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const lines = Object.entries(value).map(([name, member]) => {
    const before = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `
    return `${inner}${before}${formatJson(member, inner, before.length)}`
  })
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
