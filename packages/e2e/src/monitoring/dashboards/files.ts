import { workspaceFile } from '@tollgate/service/workspace.ts'
import { controlDashboard } from './control.ts'
import { formatJson } from './format-json.ts'
import { gatewayDashboard } from './gateway.ts'
import { renderDashboard } from './render.ts'

/** The dashboards' files, and what `main.ts` writes to them. */
export const dashboardFiles = [gatewayDashboard, controlDashboard].map((dashboard) => ({
  path: workspaceFile(`deploy/grafana/dashboards/${dashboard.uid.replace('tollgate-', '')}.json`),
  text: `${formatJson(renderDashboard(dashboard))}\n`
}))
