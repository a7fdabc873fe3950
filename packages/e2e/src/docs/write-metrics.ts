import { readFileSync, writeFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { describeMetrics, generatedMark } from './describe-metrics.ts'
import { documentedMetrics } from './documented-metrics.ts'

// Writes the generated part of the document about metrics anew.
const path = workspaceFile('docs/operate/metrics.md')
const [written] = readFileSync(path, 'utf8').split(generatedMark)
writeFileSync(path, `${written}${generatedMark}${describeMetrics(documentedMetrics())}`)
