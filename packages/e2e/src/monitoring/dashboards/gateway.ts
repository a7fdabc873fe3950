import { type Dashboard, quantile, rateOf } from './dashboard.ts'
import { firingAlerts, percentiles, running, saturation, versions } from './processes.ts'

const job = '.*tollgate-gateway'
const failed = 'status=~"[25]..", code!=""'

/** The questions of somebody who operates gateways. */
export const gatewayDashboard: Dashboard = {
  uid: 'tollgate-gateway',
  title: 'Tollgate gateway',
  description: 'Requests of customers: are they served, how fast, what do they cost, what fails, what is saturated.',
  job,
  rows: [
    {
      question: 'Is it up?',
      panels: [
        running(job),
        {
          title: 'Ready',
          description: 'Gateways with Redis and a catalog. Others refuse all requests.',
          unit: 'short',
          form: 'number',
          redBelow: 1,
          queries: [
            { expr: 'sum(tollgate_redis_up{$filter})', legend: 'with Redis' },
            { expr: 'sum(tollgate_catalog_loaded{$filter})', legend: 'with a catalog' }
          ]
        },
        {
          title: 'Failing now',
          description: 'Share of requests that failed in the last 5 minutes. An alert fires above 5 %.',
          unit: 'percentunit',
          form: 'number',
          redFrom: 0.05,
          queries: [{ expr: 'max(tollgate:requests_failed:ratio_rate5m{job=~"$job"})', legend: 'failed' }]
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
          description: 'Answered requests by status. 4xx are refusals that the client can mend, 5xx are failures.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_requests_total', ['status']), legend: '{{status}}' }]
        },
        {
          title: 'Failures',
          description: 'Requests that failed with a 5xx, or whose answer broke off, by code.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_requests_total', ['code'], failed), legend: '{{code}}' }]
        },
        {
          title: 'Refusals',
          description:
            'Requests that were refused before a model was called, by reason: limits, budgets, bad keys, Redis.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_refusals_total', ['reason']), legend: '{{reason}}' }]
        },
        {
          title: 'Requests by plan',
          description: 'Who calls: answered requests by plan.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_requests_total', ['plan']), legend: '{{plan}}' }]
        },
        {
          title: 'Requests by model',
          description: 'What they call: answered requests by model.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_requests_total', ['model']), legend: '{{model}}' }]
        },
        {
          title: 'Keys in memory',
          description: 'Share of requests whose key the gateway had in memory. The first request of a key asks Redis.',
          unit: 'percentunit',
          queries: [
            {
              expr: `sum(rate(tollgate_key_cache_lookups_total{$filter, result="hit"}[$__rate_interval])) / sum(rate(tollgate_key_cache_lookups_total{$filter}[$__rate_interval]))`,
              legend: 'found'
            }
          ]
        }
      ]
    },
    {
      question: 'How fast?',
      panels: [
        {
          title: 'Time to the first token',
          description:
            'From the request to the first token of a stream, provider included. An alert fires if p90 is above 5 s.',
          unit: 's',
          queries: percentiles('gen_ai_server_time_to_first_token_seconds')
        },
        {
          title: 'Duration',
          description: 'From the request to the end of the answer, provider included.',
          unit: 's',
          queries: percentiles('gen_ai_server_request_duration_seconds')
        },
        {
          title: 'Time per output token',
          description: 'How long a stream takes for each token after the first one.',
          unit: 's',
          queries: percentiles('gen_ai_server_time_per_output_token_seconds')
        },
        {
          title: 'First token by model',
          description: 'The p90 of the time to the first token, over 10 minutes.',
          unit: 's',
          queries: [
            {
              expr: 'tollgate:time_to_first_token_seconds:p90_rate10m{job=~"$job"}',
              legend: '{{gen_ai_request_model}}'
            }
          ]
        },
        {
          title: 'First byte by upstream',
          description: 'The p90 of the time that each upstream needs until its answer begins.',
          unit: 's',
          queries: [{ expr: quantile(0.9, 'tollgate_upstream_first_byte_seconds', 'upstream'), legend: '{{upstream}}' }]
        },
        {
          title: 'Redis',
          description: 'How long Redis takes to answer a gateway. Every request waits for it once.',
          unit: 's',
          queries: percentiles('tollgate_redis_round_trip_seconds')
        }
      ]
    },
    {
      question: 'What does it cost?',
      panels: [
        {
          title: 'Charged per hour, by model',
          description: 'What customers are charged, by the prices of the catalog.',
          unit: 'currencyUSD',
          queries: [{ expr: `3600 * ${rateOf('tollgate_cost_dollars_total', ['model'])}`, legend: '{{model}}' }]
        },
        {
          title: 'Charged per hour, by plan',
          description: 'What customers are charged, by plan.',
          unit: 'currencyUSD',
          queries: [{ expr: `3600 * ${rateOf('tollgate_cost_dollars_total', ['plan'])}`, legend: '{{plan}}' }]
        },
        {
          title: 'Tokens per second',
          description: 'Cached tokens are part of the input, reasoning tokens part of the output.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum(rate(gen_ai_client_inference_usage_input_tokens_total{$filter}[$__rate_interval]))',
              legend: 'input'
            },
            {
              expr: 'sum(rate(gen_ai_client_inference_usage_cache_read_input_tokens_total{$filter}[$__rate_interval]))',
              legend: 'cached input'
            },
            {
              expr: 'sum(rate(gen_ai_client_inference_usage_output_tokens_total{$filter}[$__rate_interval]))',
              legend: 'output'
            },
            {
              expr: 'sum(rate(gen_ai_client_inference_usage_reasoning_output_tokens_total{$filter}[$__rate_interval]))',
              legend: 'reasoning'
            }
          ]
        },
        {
          title: 'Tokens of a request',
          description: 'The median number of tokens that a request takes.',
          unit: 'short',
          queries: [
            { expr: quantile(0.5, 'gen_ai_client_token_usage', 'gen_ai_token_type'), legend: '{{gen_ai_token_type}}' }
          ]
        },
        {
          title: 'Charged in full',
          description:
            'Holds that were charged at their maximum cost within an hour, because their gateway was killed. Should be 0.',
          unit: 'short',
          queries: [{ expr: 'sum by (done) (increase(tollgate_holds_reaped_total{$filter}[1h]))', legend: '{{done}}' }]
        },
        {
          title: 'Above the reserved cost',
          description:
            'Requests within an hour that cost more than the gateway had reserved. They can exceed a cap. Should be 0.',
          unit: 'short',
          queries: [{ expr: 'sum(increase(tollgate_usage_above_bound_total{$filter}[1h]))', legend: 'requests' }]
        },
        {
          title: 'Usage without a price',
          description:
            'Requests within an hour with a kind of usage that the catalog has no price for, at the dearest price of its side. Should be 0.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (model, kind) (increase(tollgate_usage_unpriced_total{$filter}[1h]))',
              legend: '{{model}} {{kind}}'
            }
          ]
        }
      ]
    },
    {
      question: 'Which model or upstream fails?',
      panels: [
        {
          title: 'Failed requests by model',
          description: 'Requests that failed with a 5xx, or whose answer broke off.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_requests_total', ['model'], failed), legend: '{{model}}' }]
        },
        {
          title: 'Failed calls by upstream',
          description: 'Share of the calls of each upstream that failed. Gateways repeat most of them.',
          unit: 'percentunit',
          queries: [{ expr: 'tollgate:upstream_attempts_failed:ratio_rate5m{job=~"$job"}', legend: '{{upstream}}' }]
        },
        {
          title: 'Circuit breakers',
          description:
            '0 closed, 1 half-open, 2 open: requests avoid the upstream. An alert fires after a minute above 0.',
          unit: 'short',
          queries: [{ expr: 'max by (upstream) (tollgate_upstream_breaker_state{$filter})', legend: '{{upstream}}' }]
        },
        {
          title: 'Calls by upstream and outcome',
          description:
            'Refused: the upstream refused the request of the client. Abandoned: the client left, or the deadline passed.',
          unit: 'reqps',
          queries: [
            {
              expr: rateOf('tollgate_upstream_attempts_total', ['upstream', 'outcome']),
              legend: '{{upstream}} {{outcome}}'
            }
          ]
        },
        {
          title: 'Repeated calls',
          description:
            'Failed calls that the gateway followed by another one. At most a fifth of the calls of an upstream.',
          unit: 'reqps',
          queries: [{ expr: rateOf('tollgate_upstream_retries_total', ['upstream']), legend: '{{upstream}}' }]
        },
        {
          title: 'Wrong configuration',
          description:
            'Upstreams that refuse the credential, and models without an upstream at these gateways. Should be empty or 0.',
          unit: 'short',
          queries: [
            { expr: 'max by (upstream) (tollgate_upstream_problem{$filter})', legend: 'credential of {{upstream}}' },
            {
              expr: 'sum by (model) (increase(tollgate_model_unavailable_total{$filter}[5m]))',
              legend: 'model {{model}}'
            }
          ]
        }
      ]
    },
    saturation(
      {
        title: 'Open streams',
        description:
          'Streams and requests in progress. Add gateways by this number: each stream takes memory and two connections.',
        unit: 'short',
        queries: [
          { expr: 'sum by (instance) (tollgate_open_streams{$filter})', legend: 'streams {{instance}}' },
          { expr: 'sum by (instance) (tollgate_requests_in_flight{$filter})', legend: 'requests {{instance}}' },
          { expr: 'sum by (instance) (tollgate_holds{$filter})', legend: 'holds {{instance}}' }
        ]
      },
      {
        title: 'Request bodies',
        description: 'Share of GATEWAY_BODY_MEMORY_MB in use. An alert fires above 80 %.',
        unit: 'percentunit',
        queries: [
          {
            expr: 'tollgate_request_body_bytes{$filter} / tollgate_request_body_limit_bytes{$filter}',
            legend: '{{instance}}'
          }
        ]
      },
      {
        title: 'Waiting for Redis',
        description:
          'Settlements that Redis has not acknowledged, and commands that failed in 5 minutes. Both should be near 0.',
        unit: 'short',
        queries: [
          { expr: 'tollgate_settlements_waiting{$filter}', legend: 'settlements {{instance}}' },
          { expr: 'increase(tollgate_redis_errors_total{$filter}[5m])', legend: 'errors {{instance}}' }
        ]
      },
      {
        title: 'Cached keys',
        description: 'Keys that each gateway has in memory.',
        unit: 'short',
        queries: [{ expr: 'tollgate_key_cache_keys{$filter}', legend: '{{instance}}' }]
      }
    )
  ]
}
