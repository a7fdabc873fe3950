import type { Command } from '../commands/command.ts'
import { exitCodeTexts } from '../commands/exit-codes.ts'

/** The part of docs/operate/tollgate-command.md that comes from the table of commands. */
export function describeCommands(commands: readonly Command[]): string {
  const rows = [['code', 'meaning'], ...Object.entries(exitCodeTexts)]
  const width = Math.max(...rows.map(([, text]) => text!.length))
  const [titles, ...codes] = rows.map(([code, text]) => `| ${code!.padEnd(4)} | ${text!.padEnd(width)} |`)
  return [
    '## Exit codes',
    '',
    titles!,
    `| ---- | ${'-'.repeat(width)} |`,
    ...codes,
    '',
    '## Commands',
    ...commands.flatMap(({ name, summary, usage }) => [
      '',
      `### ${name}`,
      '',
      `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
      '',
      '```text',
      usage.trimEnd(),
      '```'
    ]),
    ''
  ].join('\n')
}
