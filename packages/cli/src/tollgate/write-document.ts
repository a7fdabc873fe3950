import { readFileSync, writeFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { commandTable } from './command-table.ts'
import { describeCommands, generatedMark } from './describe-commands.ts'

// Writes the generated part of the document about the command anew.
const path = workspaceFile('docs/operate/tollgate-command.md')
const [written] = readFileSync(path, 'utf8').split(generatedMark)
writeFileSync(path, `${written}${generatedMark}\n${describeCommands(commandTable)}`)
