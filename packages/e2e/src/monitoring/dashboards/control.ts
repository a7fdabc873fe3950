import { type Dashboard, quantile, rateOf } from './dashboard.ts'
import { firingAlerts, percentiles, running, saturation, versions } from './processes.ts'

const job = '.*tollgate-control'
const http = 'http_server_request_duration_seconds'

/** The questions of somebody who operates control. */
export const controlDashboard: Dashboard = {
  uid: 'tollgate-control',
  title: 'Tollgate control',
  description:
    'Accounts, keys and billing: does control answer, are changes in force, do providers and background work succeed.',
  job,
  rows: [
    {
      question: 'Is it up?',
      panels: [
        running(job),
        {
          title: 'Stores',
          description: 'Replicas that reach PostgreSQL and Redis.',
          unit: 'short',
          form: 'number',
          redBelow: 1,
          queries: [
            { expr: 'sum(tollgate_database_up{$filter})', legend: 'with PostgreSQL' },
            { expr: 'sum(tollgate_redis_up{$filter})', legend: 'with Redis' }
          ]
        },
        {
          title: 'Missing migrations',
          description: 'Migrations of this release that the database lacks, and those that it has.',
          unit: 'short',
          form: 'number',
          queries: [
            { expr: 'max(tollgate_migrations_pending{$filter})', legend: 'missing' },
            { expr: 'max(tollgate_migrations_applied{$filter})', legend: 'applied' }
          ]
        },
        firingAlerts,
        versions
      ]
    },
    {
      question: 'Are customers served?',
      panels: [
        {
          title: 'Requests',
          description: 'Requests of the dashboard and the API by status.',
          unit: 'reqps',
          queries: [
            { expr: rateOf(`${http}_count`, ['http_response_status_code']), legend: '{{http_response_status_code}}' }
          ]
        },
        {
          title: 'Failures by route',
          description: 'Requests that got a 5xx.',
          unit: 'reqps',
          queries: [
            {
              expr: rateOf(
                `${http}_count`,
                ['http_request_method', 'http_route', 'http_response_status_code'],
                'http_response_status_code=~"5.."'
              ),
              legend: '{{http_request_method}} {{http_route}} {{http_response_status_code}}'
            }
          ]
        },
        {
          title: 'Duration',
          description: 'How long control takes to answer. Sign-ins are slow on purpose.',
          unit: 's',
          queries: percentiles(http)
        },
        {
          title: 'Slowest routes',
          description: 'The five routes with the highest p90.',
          unit: 's',
          queries: [{ expr: `topk(5, ${quantile(0.9, http, 'http_route')})`, legend: '{{http_route}}' }]
        },
        {
          title: 'Webhooks',
          description:
            'Webhooks of Stripe and the identity provider by outcome. bad_signature: a stranger, or a wrong secret.',
          unit: 'reqps',
          queries: [
            { expr: rateOf('tollgate_webhooks_total', ['source', 'outcome']), legend: '{{source}} {{outcome}}' }
          ]
        },
        {
          title: 'Mails',
          description: 'Mails that control sends, by outcome.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_mails_total', ['outcome']), legend: '{{outcome}}' }]
        }
      ]
    },
    {
      question: 'Are changes in force, and usage in the ledger?',
      panels: [
        {
          title: 'Projection lag',
          description:
            'Age of the oldest change that Redis does not have. The promise is 2 s, an alert fires above 10 s.',
          unit: 's',
          queries: [{ expr: 'min(tollgate_projection_lag_seconds{$filter})', legend: 'lag' }]
        },
        {
          title: 'Waiting changes and shards',
          description:
            'Changes that Redis does not have, and shards that are not verified: gateways refuse their accounts.',
          unit: 'short',
          queries: [
            { expr: 'min(tollgate_projection_waiting{$filter})', legend: 'changes' },
            { expr: 'min(tollgate_shards_unverified{$filter})', legend: 'unverified shards' },
            { expr: 'max(tollgate_shards{$filter})', legend: 'all shards' }
          ]
        },
        {
          title: 'Revocations',
          description: 'From the commit to the acknowledgement of Redis. An alert fires above 5 s.',
          unit: 's',
          queries: percentiles('tollgate_revocation_seconds')
        },
        {
          title: 'Ledger lag',
          description: 'How far the ledger is behind Redis. The promise is 5 s, an alert fires above a minute.',
          unit: 's',
          queries: [{ expr: 'min(tollgate_ledger_lag_seconds{$filter})', legend: 'lag' }]
        }
      ]
    },
    {
      question: 'Do providers and background work succeed?',
      panels: [
        {
          title: 'Calls of providers',
          description: 'Calls of Stripe, Supabase and the mail server by outcome.',
          unit: 'reqps',
          queries: [
            {
              expr: rateOf('tollgate_provider_call_duration_seconds_count', ['provider', 'outcome']),
              legend: '{{provider}} {{outcome}}'
            }
          ]
        },
        {
          title: 'Duration of the calls',
          description: 'The p90 of calls of each provider.',
          unit: 's',
          queries: [
            { expr: quantile(0.9, 'tollgate_provider_call_duration_seconds', 'provider'), legend: '{{provider}}' }
          ]
        },
        {
          title: 'Refused settings',
          description: '1: the provider refuses a key or an address. /readyz names the variable.',
          unit: 'short',
          queries: [{ expr: 'max by (setting) (tollgate_provider_problem{$filter})', legend: '{{setting}}' }]
        },
        {
          title: 'Queues',
          description: 'Entries that wait. An alert fires if a queue grows for half an hour.',
          unit: 'short',
          queries: [{ expr: 'max by (queue) (tollgate_queue_depth{$filter})', legend: '{{queue}}' }]
        },
        {
          title: 'Failed rounds of loops',
          description: 'Rounds of background work that failed within 15 minutes.',
          unit: 'short',
          queries: [
            { expr: 'sum by (loop) (increase(tollgate_loop_failures_total{$filter}[15m]))', legend: '{{loop}}' }
          ]
        },
        {
          title: 'Time since the last success of loops',
          description:
            'Compare it with the usual time of the loop: seconds for most, an hour for comparisons with providers.',
          unit: 's',
          queries: [
            {
              expr: 'time() - max by (loop) (tollgate_loop_last_success_timestamp_seconds{$filter})',
              legend: '{{loop}}'
            }
          ]
        }
      ]
    },
    saturation()
  ]
}
