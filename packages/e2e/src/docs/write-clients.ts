import { readFileSync, writeFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeClients, generatedMark } from './describe-clients.ts'

// Writes the generated part of the document about clients anew.
const path = workspaceFile('docs/clients.md')
const [written] = readFileSync(path, 'utf8').split(generatedMark)
writeFileSync(path, `${written}${generatedMark}${describeClients()}`)
