import { ofControl } from './of-control.ts'
import { ofGateway } from './of-gateway.ts'
import type { WrongSetting } from './wrong-setting.ts'

/**
 * What control and the gateway say about wrong settings. A test starts them with each; the document is made from it.
 */
export const wrongSettings: readonly WrongSetting[] = [...ofControl, ...ofGateway]

/** The text of docs/operate/wrong-settings.md. */
export function writeDocument(): string {
  return [
    '# Wrong settings',
    '',
    'What control and the gateway say about a wrong setting, and whether they start. `…` stands for any text. A process that exits',
    'has status 1 and prints the words on stderr; the others log them. No message contains a secret. Tests give the services each of',
    'these settings, and make this table: `packages/e2e/src/wrong-settings`.',
    '',
    ...(['control', 'gateway'] as const).flatMap(section)
  ].join('\n')
}

function section(service: WrongSetting['service']): string[] {
  const rows = wrongSettings
    .filter((one) => one.service === service)
    .map(({ setting, says, readyz }) => [
      setting,
      cell(says),
      readyz === null ? 'yes' : 'no',
      readyz === null ? '' : describeReady(readyz)
    ])
  return [
    `## ${service === 'control' ? 'Control' : 'Gateway'}`,
    '',
    ...alignedTable(['setting', 'what it says', 'exits', '`/readyz`'], rows),
    ''
  ]
}

/** A table as the formatter of this repository aligns it. */
function alignedTable(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}

const cell = (words: string): string => `\`${words.replaceAll('|', '\\|')}\``

function describeReady({ status, shows }: NonNullable<WrongSetting['readyz']>): string {
  if (shows === undefined) return String(status)
  return typeof shows === 'string'
    ? `${status}, \`problems\` names \`${shows}\``
    : `${status}, ${Object.entries(shows).map(([name, value]) => `\`"${name}": ${value}\``)}`
}
