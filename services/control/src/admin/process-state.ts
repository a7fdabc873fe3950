import { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import { version } from '@tollgate/service/workspace.ts'
import type { ProcessFacts } from '@tollgate/state/processes/heartbeat.ts'
import { WebhookCounts } from '../http/webhook-counts.ts'

/** What this process counts since its start, and reports with its heartbeat. */
export class ProcessState {
  readonly failures = new FailureCounts()
  readonly webhookCounts = new WebhookCounts()
  readonly #startedAt = performance.now()
  #usageCopiedAt: number | null = null
  #receiptsCopiedAt: number | null = null

  /** @param until `performance.now()`: all usage until then is in the ledger */
  usageCopied(until: number): void {
    this.#usageCopiedAt = until
  }

  /** Milliseconds since all usage until then was in the ledger; before that, since the start. */
  usageCopiedMsAgo(): number {
    return performance.now() - (this.#usageCopiedAt ?? this.#startedAt)
  }

  /** @param until `performance.now()`: the request log has all receipts until then */
  receiptsCopied(until: number): void {
    this.#receiptsCopiedAt = until
  }

  /** Milliseconds since the request log had all receipts until then; before that, since the start. */
  receiptsCopiedMsAgo(): number {
    return performance.now() - (this.#receiptsCopiedAt ?? this.#startedAt)
  }

  facts(): ProcessFacts {
    const copiedAt = this.#usageCopiedAt
    return {
      kind: 'control',
      version,
      errors: this.failures.all(),
      webhooks: this.webhookCounts.all(),
      usageCopiedMsAgo: copiedAt === null ? null : Math.round(performance.now() - copiedAt)
    }
  }
}
