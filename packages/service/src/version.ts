import { readFileSync } from 'node:fs'
import { workspaceFile } from './workspace.ts'

/** The version of Tollgate. The `package.json` at the root of the workspace is its only source. */
export const version = (JSON.parse(readFileSync(workspaceFile('package.json'), 'utf8')) as { version: string }).version
