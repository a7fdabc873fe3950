import { readFileSync } from 'node:fs'
import { ControlVariables } from '@tollgate/control/config.ts'
import { GatewayConfig } from '@tollgate/gateway/config.ts'
import { describeAllowed } from '@tollgate/service/config/load-config.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { TObject, TSchema } from 'typebox'

const services = [
  { name: 'control', schema: ControlVariables },
  { name: 'gateway', schema: GatewayConfig }
]

/** The part of docs/operate/settings.md that comes from `.env.example` and the services. */
export function describeAllSettings(): string {
  const sections = readExample(readFileSync(workspaceFile('.env.example'), 'utf8'))
  return describeSettings(sections, services, workspaceFile(''))
}

/** The configuration of a service. */
export interface Service {
  readonly name: string
  readonly schema: TObject
}

type Variable = TSchema & { default?: string | number; minimum?: number; maximum?: number; must?: string }

/**
 * The lists of docs/operate/settings.md: a section of `.env.example` each, with the defaults and allowed values of the
 * services' schemas.
 *
 * @param root absolute path of the checkout; defaults below it are shown relative to it
 * @throws Error if `.env.example` shows another default than a schema
 */
export function describeSettings(
  sections: readonly ExampleSection[],
  services: readonly Service[],
  root: string
): string {
  return sections
    .flatMap(({ title, variables }) => [
      `## ${title}`,
      '',
      ...variables.map((variable) => describeVariable(variable, services, root)),
      ''
    ])
    .join('\n')
}

function describeVariable(variable: ExampleVariable, services: readonly Service[], root: string): string {
  const { name, lines } = variable
  const readers = services.filter(({ schema }) => name in schema.properties)
  const schemas = readers.map(({ schema }) => schema.properties[name] as Variable)
  const allowed = new Set(schemas.map(describeAllowed).filter((words) => words !== null))
  const facts = [readers.map((reader) => reader.name).join(' and '), ...allowed, defaultOf(variable, schemas, root)]
  const summary = facts.filter((fact) => fact !== '').join('; ')
  const text = lines.map((line) => (line.startsWith('  ') ? `\`${line.trim()}\`` : line)).join(' ')
  return `- **\`${name}\`**${summary === '' ? '' : ` (${escapeTags(summary)})`}: ${escapeTags(text)}`
}

/** Outside of code, `<project>` would be an HTML tag. */
const escapeTags = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('`')

/** The default of the services. */
function defaultOf({ name, value }: ExampleVariable, schemas: readonly Variable[], root: string): string {
  const defaults = new Set(schemas.map((schema) => relative(schema.default, root)))
  const values = [...defaults].filter((one) => one !== undefined && one !== '')
  // `npm start` sets the required variables itself, and `.env.example` shows its values.
  const isShown = value !== '' && !value.includes('<') && values.length > 0
  if (isShown && (values.length > 1 || values[0] !== value)) {
    throw new Error(`${name}: .env.example shows the default ${value}, and the services have ${values.join(', ')}`)
  }
  if (values.length > 0) return `default \`${values.join('`, `')}\``
  if (schemas.some((schema) => schema.default === undefined)) return 'required'
  return value === '' || value.includes('<') ? '' : `default \`${value}\``
}

const relative = (value: string | number | undefined, root: string): string | undefined =>
  value === undefined ? undefined : String(value).replace(root, '')

/** A variable of `.env.example`. */
interface ExampleVariable {
  readonly name: string
  /** What follows `=`; '' if nothing does. */
  readonly value: string
  /** The comment above it, a line each. */
  readonly lines: readonly string[]
}

interface ExampleSection {
  readonly title: string
  readonly variables: readonly ExampleVariable[]
}

/** Reads the sections of `.env.example`: `# ---- title ----`, and in them variables, each below its comment. */
export function readExample(text: string): ExampleSection[] {
  const sections: Array<ExampleSection & { variables: ExampleVariable[] }> = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const title = /^# -+ (.*?)\.? -+$/.exec(line)?.[1]
    const variable = /^# ([A-Z][A-Z0-9_]+)=(.*)$/.exec(line)
    if (title !== undefined) sections.push({ title, variables: [] })
    else if (variable !== null) sections.at(-1)!.variables.push({ name: variable[1]!, value: variable[2]!, lines })
    else if (line !== '') {
      lines.push(line.replace(/^# ?/, ''))
      continue
    }
    lines = []
  }
  return sections
}
