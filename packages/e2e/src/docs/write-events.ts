import { readFileSync, writeFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeAllEvents, eventsMark } from './describe-events.ts'

// Writes the generated part of the document about webhooks anew.
const path = workspaceFile('docs/webhooks.md')
const [written] = readFileSync(path, 'utf8').split(eventsMark)
writeFileSync(path, `${written}${eventsMark}${describeAllEvents()}`)
