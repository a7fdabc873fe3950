import { globSync, readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'

const texts = globSync(workspaceFile('deploy/grafana/dashboards/*.json')).map((file) => readFileSync(file, 'utf8'))

/** The PromQL of all panels. */
export const dashboardQueries = texts
  .flatMap((text) => [...text.matchAll(/"expr": ?("(?:[^"\\]|\\.)*")/g)])
  .map(([, query]) => JSON.parse(query!) as string)
