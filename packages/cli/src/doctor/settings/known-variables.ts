import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'

/** Every variable of Tollgate. `.env.example` lists them all; a test of it compares it with the programs. */
export function knownVariables(): string[] {
  const example = readFileSync(workspaceFile('.env.example'), 'utf8')
  return [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!)
}
