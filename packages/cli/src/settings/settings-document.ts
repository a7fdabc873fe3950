import { readFileSync } from 'node:fs'
import { ControlVariables } from '@tollgate/control/config.ts'
import { GatewayConfig } from '@tollgate/gateway/config.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeSettings, generatedMark } from './describe-settings.ts'
import { readExample } from './read-example.ts'

const services = [
  { name: 'control', schema: ControlVariables },
  { name: 'gateway', schema: GatewayConfig }
]

export const settingsPath = workspaceFile('docs/operate/settings.md')

/** The text of docs/operate/settings.md, with a new generated part. */
export function settingsDocument(): string {
  const [written] = readFileSync(settingsPath, 'utf8').split(generatedMark)
  const sections = readExample(readFileSync(workspaceFile('.env.example'), 'utf8'))
  return `${written}${generatedMark}\n${describeSettings(sections, services, workspaceFile(''))}`
}
