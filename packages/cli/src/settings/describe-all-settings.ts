import { readFileSync } from 'node:fs'
import { ControlVariables } from '@tollgate/control/config.ts'
import { GatewayConfig } from '@tollgate/gateway/config.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeSettings } from './describe-settings.ts'
import { readExample } from './read-example.ts'

const services = [
  { name: 'control', schema: ControlVariables },
  { name: 'gateway', schema: GatewayConfig }
]

/** The part of docs/operate/settings.md that comes from `.env.example` and the services. */
export function describeAllSettings(): string {
  const sections = readExample(readFileSync(workspaceFile('.env.example'), 'utf8'))
  return describeSettings(sections, services, workspaceFile(''))
}
