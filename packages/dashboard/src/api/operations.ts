/**
 * Generated from control's OpenAPI document by build/write-api-types.ts; a test compares them. Do not edit.
 */

export const paths = {
  getOpenApi: ['GET', '/api/openapi.json'],
  register: ['POST', '/api/auth/register'],
  openMailedLink: ['GET', '/api/auth/confirm'],
  confirm: ['POST', '/api/auth/confirm'],
  login: ['POST', '/api/auth/login'],
  signout: ['POST', '/api/auth/signout'],
  getUser: ['GET', '/api/auth/me'],
  changeUser: ['PATCH', '/api/auth/me'],
  deleteUser: ['DELETE', '/api/auth/me'],
  listSessions: ['GET', '/api/auth/sessions'],
  endSession: ['DELETE', '/api/auth/sessions/{id}'],
  forgotPassword: ['POST', '/api/auth/forgot-password'],
  resendConfirmation: ['POST', '/api/auth/resend-confirmation'],
  resetPassword: ['POST', '/api/auth/reset-password'],
  changePassword: ['POST', '/api/auth/change-password'],
  getSecondFactor: ['GET', '/api/auth/second-factor'],
  startSecondFactor: ['POST', '/api/auth/second-factor'],
  removeSecondFactor: ['DELETE', '/api/auth/second-factor'],
  confirmSecondFactor: ['POST', '/api/auth/second-factor/confirm'],
  listKeys: ['GET', '/api/keys'],
  createKey: ['POST', '/api/keys'],
  getKey: ['GET', '/api/keys/{id}'],
  changeKey: ['PATCH', '/api/keys/{id}'],
  revokeKey: ['DELETE', '/api/keys/{id}'],
  rotateKey: ['POST', '/api/keys/{id}/rotate'],
  getAccount: ['GET', '/api/account'],
  changeAccount: ['PATCH', '/api/account'],
  exportOwnData: ['GET', '/api/account/export'],
  getTeam: ['GET', '/api/team'],
  inviteSeat: ['POST', '/api/team/seats'],
  acceptInvitation: ['POST', '/api/team/invitations/{token}/accept'],
  removeSeat: ['DELETE', '/api/team/seats/{id}'],
  listPlans: ['GET', '/api/billing/plans'],
  getPlan: ['GET', '/api/billing/plan'],
  openCheckout: ['POST', '/api/billing/checkout'],
  openPortal: ['GET', '/api/billing/portal'],
  listInvoices: ['GET', '/api/billing/invoices'],
  takeInUserChange: ['POST', '/api/auth/webhook'],
  takeInEvent: ['POST', '/api/billing/webhook'],
  listEventTypes: ['GET', '/api/webhooks/event-types'],
  listWebhooks: ['GET', '/api/webhooks'],
  createWebhook: ['POST', '/api/webhooks'],
  getWebhook: ['GET', '/api/webhooks/{id}'],
  changeWebhook: ['PATCH', '/api/webhooks/{id}'],
  deleteWebhook: ['DELETE', '/api/webhooks/{id}'],
  rotateWebhook: ['POST', '/api/webhooks/{id}/rotate'],
  testWebhook: ['POST', '/api/webhooks/{id}/test'],
  listDeliveries: ['GET', '/api/webhooks/{id}/deliveries'],
  redeliverWebhook: ['POST', '/api/webhooks/{id}/deliveries/{delivery_id}/redeliver'],
  getUsage: ['GET', '/api/usage'],
  getUsageSummary: ['GET', '/api/usage/summary'],
  createPlaygroundToken: ['POST', '/api/playground/token'],
  listRequests: ['GET', '/api/requests'],
  exportRequests: ['GET', '/api/requests/export'],
  getRequest: ['GET', '/api/requests/{id}'],
  getNotifications: ['GET', '/api/account/notifications'],
  changeNotifications: ['PATCH', '/api/account/notifications'],
  listEvents: ['GET', '/api/events'],
  markEventsSeen: ['POST', '/api/events/seen'],
  listAudit: ['GET', '/api/audit']
} as const

export interface Operations {
  getOpenApi: {
    answer: Record<string, never>
  }
  register: {
    body: {
      email: string
      password: string
      name: string
    }
    answer: {
      ok: true
    }
  }
  openMailedLink: {
    query?: {
      token_hash?: string
      type?: string
    }
    answer: null
  }
  confirm: {
    body: {
      token_hash: string
      type: 'signup' | 'email'
      password: string
      set?: boolean
      code?: string
    } | {
      access_token: string
      password: string
      set?: boolean
      code?: string
    }
    answer: {
      user: {
        id: string
        email: string
        name: string
        plan: string
        role?: 'operator'
      }
    }
  }
  login: {
    body: {
      email: string
      password: string
      code?: string
    }
    answer: {
      user: {
        id: string
        email: string
        name: string
        plan: string
        role?: 'operator'
      }
    }
  }
  signout: {
    body?: null | {
      everywhere?: boolean
    }
    answer: {
      ok: true
    }
  }
  getUser: {
    answer: {
      user: {
        id: string
        email: string
        name: string
        plan: string
        role?: 'operator'
      }
    }
  }
  changeUser: {
    body: {
      name: string
    }
    answer: {
      user: {
        id: string
        email: string
        name: string
        plan: string
        role?: 'operator'
      }
    }
  }
  deleteUser: {
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  listSessions: {
    answer: {
      sessions: ({
        id: string
        browser: string | null
        created_at: string
        last_used_at: string
        ends_at: string
        current: boolean
      })[]
    }
  }
  endSession: {
    params: {
      id: string
    }
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  forgotPassword: {
    body: {
      email: string
    }
    answer: {
      ok: true
    }
  }
  resendConfirmation: {
    body: {
      email: string
    }
    answer: {
      ok: true
    }
  }
  resetPassword: {
    body: {
      token_hash: string
      password: string
      revoke_keys?: boolean
    } | {
      access_token: string
      password: string
      revoke_keys?: boolean
    }
    answer: {
      ok: true
    }
  }
  changePassword: {
    body: {
      current_password: string
      password: string
    }
    answer: {
      ok: true
    }
  }
  getSecondFactor: {
    answer: {
      enabled: boolean
    }
  }
  startSecondFactor: {
    body: {
      password: string
    }
    answer: {
      secret: string
      uri: string
    }
  }
  removeSecondFactor: {
    body: {
      password: string
      code: string
    }
    answer: {
      ok: true
    }
  }
  confirmSecondFactor: {
    body: {
      password: string
      code: string
    }
    answer: {
      ok: true
    }
  }
  listKeys: {
    query?: {
      limit?: string
      cursor?: string
      include_revoked?: 'true' | 'false'
    }
    answer: {
      keys: ({
        id: string
        label: string
        prefix: string
        status: 'active' | 'revoked'
        scope: 'inference' | 'management'
        expires_at: string | null
        models: string[] | null
        monthly_budget_usd: number | null
        requests_per_minute: number | null
        metadata: Record<string, string>
        last_used: string | null
        created: string
        can_change: boolean
      })[]
      next_cursor: string | null
    }
  }
  createKey: {
    body: {
      label: string
      scope?: 'inference' | 'management'
      expires_at?: string | null
      models?: string[] | null
      monthly_budget_usd?: number | null
      requests_per_minute?: number | null
      metadata?: Record<string, string>
    }
    answer: {
      key: {
        id: string
        label: string
        value: string
      }
    }
  }
  getKey: {
    params: {
      id: string
    }
    answer: {
      key: {
        id: string
        label: string
        prefix: string
        status: 'active' | 'revoked'
        scope: 'inference' | 'management'
        expires_at: string | null
        models: string[] | null
        monthly_budget_usd: number | null
        requests_per_minute: number | null
        metadata: Record<string, string>
        last_used: string | null
        created: string
        can_change: boolean
        in_force: boolean
      }
    }
  }
  changeKey: {
    params: {
      id: string
    }
    body: {
      label?: string
      expires_at?: string | null
      models?: string[] | null
      monthly_budget_usd?: number | null
      requests_per_minute?: number | null
      metadata?: Record<string, string>
    }
    answer: {
      key: {
        id: string
        label: string
        prefix: string
        status: 'active' | 'revoked'
        scope: 'inference' | 'management'
        expires_at: string | null
        models: string[] | null
        monthly_budget_usd: number | null
        requests_per_minute: number | null
        metadata: Record<string, string>
        last_used: string | null
        created: string
        can_change: boolean
      }
    }
  }
  revokeKey: {
    params: {
      id: string
    }
    query?: {
      cut_streams?: 'true' | 'false'
    }
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  rotateKey: {
    params: {
      id: string
    }
    body?: {
      grace_seconds?: number
      cut_streams?: boolean
    } | null
    answer: {
      key: {
        id: string
        label: string
        value: string
        in_force: boolean
      }
    }
  }
  getAccount: {
    answer: {
      account: {
        id: string
        plan: string
        status: 'active' | 'suspended'
        role: 'owner' | 'seat'
        monthly_budget_usd: number | null
        plan_monthly_budget_usd: number
        models: ({
          id: string
          kind: 'chat' | 'completion' | 'embedding'
          usd_per_million_tokens: {
            input: number
            cached_input: number
            output: number
            reasoning: number
          }
        })[]
      }
    }
  }
  changeAccount: {
    body: {
      monthly_budget_usd: number | null
    }
    answer: {
      account: {
        id: string
        plan: string
        status: 'active' | 'suspended'
        role: 'owner' | 'seat'
        monthly_budget_usd: number | null
        plan_monthly_budget_usd: number
        models: ({
          id: string
          kind: 'chat' | 'completion' | 'embedding'
          usd_per_million_tokens: {
            input: number
            cached_input: number
            output: number
            reasoning: number
          }
        })[]
      }
    }
  }
  exportOwnData: {
    answer: {
      exported_at: string
      user: {
        id: string
        email: string
        name: string
      }
      seat: {
        account_id: string
        joined: string
      } | null
      account: {
        id: string
        plan: string
        status: 'active' | 'suspended'
        monthly_budget_usd: string | null
        created: string
      }
      sessions: ({
        id: string
        browser: string | null
        created_at: string
        last_used_at: string
        ends_at: string
      })[]
      customer: {
        id: string
        subscription_id: string | null
      } | null
      invoices: {
        id: string
        amount: number
        currency: string
        paid_at: string
      }[]
      members: ({
        id: string
        email: string
        name: string
        role: 'owner' | 'seat'
        joined: string
      })[]
      invitations: {
        id: string
        email: string
        created: string
        expires_at: string
      }[]
      keys: ({
        id: string
        label: string
        prefix: string
        status: 'active' | 'revoked'
        scope: 'inference' | 'management'
        expires_at: string | null
        models: string[] | null
        monthly_budget_usd: number | null
        requests_per_minute: number | null
        metadata: Record<string, string>
        last_used: string | null
        created: string
        account_id: string
        revoked_at: string | null
      })[]
      webhooks: ({
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      })[]
      adjustments: {
        id: string
        at: string
        month: string
        amount_usd: string
        reason: string
      }[]
      audit: ({
        id: string
        at: string
        action: string
        actor_id: string | null
        actor_email: string | null
        subject: string | null
        detail: Record<string, string | number | boolean | null>
        ip: string | null
      })[]
      events: ({
        id: string
        type: 'budget.threshold' | 'budget.forecast' | 'key.created' | 'key.rotated' | 'key.grace_ending' | 'key.expiring' | 'key.revoked' | 'plan.changed' | 'payment.failed' | 'account.suspended' | 'account.resumed' | 'webhook.disabled' | 'webhook.test' | 'request.failed_over' | 'provider.failing' | 'spend.unusual'
        at: string
        data: Record<string, never>
      })[]
      mails: ({
        kind: 'budget' | 'keys' | 'webhooks' | 'account' | 'providers' | 'spend'
        queued_at: string
        sent_at: string | null
        notices: {
          type: string
          data: Record<string, never>
          at: string
        }[]
      })[]
      muted_mails: ('budget' | 'keys' | 'webhooks' | 'account' | 'providers' | 'spend')[]
      usage: {
        day?: string
        key_id?: string
        model?: string
        requests: number
        errors: number
        prompt_tokens: number
        cached_tokens: number
        completion_tokens: number
        reasoning_tokens: number
        cache_write_tokens: number
        long_cache_write_tokens: number
        audio_input_tokens: number
        image_input_tokens: number
        audio_output_tokens: number
        image_output_tokens: number
        tool_calls: number
        estimated_requests: number
        cost_usd: string
      }[]
      requests: ({
        id: string
        at: string
        kind: 'refused' | 'reaped' | 'settled' | 'cancelled'
        count: number
        key_id: string
        endpoint: string
        model: string | null
        answered_model: string | null
        stream: boolean
        status: number | null
        code: string | null
        attempts: number
        client_gone: boolean
        reserved_usd: string
        reserved_tokens: number
        granted_output_tokens: number | null
        prompt_tokens: number
        cached_tokens: number
        cache_write_tokens: number
        long_cache_write_tokens: number
        audio_input_tokens: number
        image_input_tokens: number
        completion_tokens: number
        reasoning_tokens: number
        audio_output_tokens: number
        image_output_tokens: number
        tool_calls: number
        cost_usd: string
        estimated: boolean
        service_tier: string | null
        first_byte_ms: number | null
        duration_ms: number | null
        address: string | null
      })[]
    }
  }
  getTeam: {
    answer: {
      team: {
        id: string
        plan: string
        seats: {
          used: number
          limit: number | null
        }
        members: ({
          id: string
          email: string
          name: string
          role: 'owner' | 'seat'
          joined: string
        })[]
        invitations: {
          id: string
          email: string
          created: string
          expires_at: string
        }[]
      }
    }
  }
  inviteSeat: {
    body: {
      email: string
    }
    answer: {
      invitation: {
        id: string
        email: string
        created: string
        expires_at: string
        link: string
      }
    }
  }
  acceptInvitation: {
    params: {
      token: string
    }
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  removeSeat: {
    params: {
      id: string
    }
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  listPlans: {
    answer: {
      plans: ({
        id: string
        name: string
        entitlements: string[]
        key_quota: number | null
        seats: number | null
        requests_per_minute: number
        burst_requests: number
        tokens_per_minute: number
        burst_tokens: number
        monthly_budget_usd: number
        prices: ({
          id: string
          interval: 'month' | 'year'
          amount: number
          currency: string
        })[]
      })[]
    }
  }
  getPlan: {
    answer: {
      plan: {
        id: string
        name: string
        renews_at: string | null
        entitlements: string[]
        past_due: boolean
        cancel_at: string | null
        price_id: string | null
      }
    }
  }
  openCheckout: {
    body: {
      price_id: string
    }
    answer: {
      url: string
    }
  }
  openPortal: {
    answer: {
      url: string
    }
  }
  listInvoices: {
    query?: {
      limit?: string
      starting_after?: string
    }
    answer: {
      invoices: ({
        id: string
        amount: number
        currency: string
        status: string
        created: number
        pdf_url: string | null
      })[]
      has_more: boolean
    }
  }
  takeInUserChange: {
    body: {
      type: 'INSERT' | 'UPDATE' | 'DELETE'
      schema: 'auth'
      table: 'users'
      record: {
        id: string
      } | null
      old_record?: {
        id: string
      } | null
    }
    answer: {
      received: true
    }
  }
  takeInEvent: {
    answer: {
      received: true
    }
  }
  listEventTypes: {
    answer: {
      event_types: {
        type: string
        description: string
        data: Record<string, never>
      }[]
    }
  }
  listWebhooks: {
    answer: {
      endpoints: ({
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      })[]
    }
  }
  createWebhook: {
    body: {
      url: string
      description?: string
      event_types?: ('budget.threshold' | 'budget.forecast' | 'key.created' | 'key.rotated' | 'key.grace_ending' | 'key.expiring' | 'key.revoked' | 'plan.changed' | 'payment.failed' | 'account.suspended' | 'account.resumed' | 'webhook.disabled' | 'webhook.test')[] | null
    }
    answer: {
      endpoint: {
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      }
      secret: string
    }
  }
  getWebhook: {
    params: {
      id: string
    }
    answer: {
      endpoint: {
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      }
    }
  }
  changeWebhook: {
    params: {
      id: string
    }
    body: {
      url?: string
      description?: string
      enabled?: boolean
      event_types?: ('budget.threshold' | 'budget.forecast' | 'key.created' | 'key.rotated' | 'key.grace_ending' | 'key.expiring' | 'key.revoked' | 'plan.changed' | 'payment.failed' | 'account.suspended' | 'account.resumed' | 'webhook.disabled' | 'webhook.test')[] | null
    }
    answer: {
      endpoint: {
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      }
    }
  }
  deleteWebhook: {
    params: {
      id: string
    }
    body?: null | Record<string, never>
    answer: {
      ok: true
    }
  }
  rotateWebhook: {
    params: {
      id: string
    }
    body?: {
      overlap_seconds?: number
    } | null
    answer: {
      endpoint: {
        id: string
        url: string
        description: string
        event_types: string[] | null
        enabled: boolean
        disabled_reason: 'failing' | 'gone' | 'turned_off' | null
        disabled_at: string | null
        failing_since: string | null
        old_secret_until: string | null
        created: string
      }
      secret: string
    }
  }
  testWebhook: {
    params: {
      id: string
    }
    body?: null | Record<string, never>
    answer: {
      delivery: {
        id: string
        message_id: string
        type: string
        status: 'pending' | 'delivered' | 'failed'
        created: string
        next_try: string | null
        attempts: ({
          at: string
          duration_ms: number
          status: number | null
          error: string | null
        })[]
      }
    }
  }
  listDeliveries: {
    params: {
      id: string
    }
    query?: {
      status?: 'pending' | 'delivered' | 'failed'
      limit?: string
      cursor?: string
    }
    answer: {
      deliveries: ({
        id: string
        message_id: string
        type: string
        status: 'pending' | 'delivered' | 'failed'
        created: string
        next_try: string | null
        attempts: ({
          at: string
          duration_ms: number
          status: number | null
          error: string | null
        })[]
      })[]
      next_cursor: string | null
    }
  }
  redeliverWebhook: {
    params: {
      id: string
      delivery_id: string
    }
    body?: null | Record<string, never>
    answer: {
      delivery: {
        id: string
        message_id: string
        type: string
        status: 'pending' | 'delivered' | 'failed'
        created: string
        next_try: string | null
        attempts: ({
          at: string
          duration_ms: number
          status: number | null
          error: string | null
        })[]
      }
    }
  }
  getUsage: {
    query?: {
      from?: string
      to?: string
      interval?: 'hour' | 'day' | 'month'
      group_by?: 'model' | 'key' | 'none'
    }
    answer: {
      from: string
      to: string
      interval: 'hour' | 'day' | 'month'
      group_by: 'model' | 'key' | 'none'
      buckets: {
        start: string
        model?: string
        key_id?: string
        requests: number
        errors: number
        prompt_tokens: number
        cached_tokens: number
        completion_tokens: number
        reasoning_tokens: number
        cache_write_tokens: number
        long_cache_write_tokens: number
        audio_input_tokens: number
        image_input_tokens: number
        audio_output_tokens: number
        image_output_tokens: number
        tool_calls: number
        cost_usd: string
      }[]
      keys?: {
        id: string
        label: string
        prefix: string
      }[]
      adjustments?: {
        id: string
        at: string
        month: string
        amount_usd: string
        reason: string
      }[]
    }
  }
  getUsageSummary: {
    answer: {
      from: string
      spent_usd: string
      reserved_usd: string
      cap_usd: string
      resets_at: string
    }
  }
  createPlaygroundToken: {
    body?: null | Record<string, never>
    answer: {
      token: {
        id: string
        value: string
        expires_at: string
        expires_in: number
      }
    }
  }
  listRequests: {
    query?: {
      key?: string
      model?: string
      status?: string
      code?: string
      from?: string
      to?: string
      min_cost_usd?: string
      max_cost_usd?: string
      min_duration_ms?: string
      max_duration_ms?: string
      limit?: string
      cursor?: string
    }
    answer: {
      requests: ({
        id: string
        at: string
        kind: 'refused' | 'reaped' | 'settled' | 'cancelled'
        count: number
        key_id: string
        endpoint: string
        model: string | null
        answered_model: string | null
        stream: boolean
        status: number | null
        code: string | null
        attempts: number
        client_gone: boolean
        reserved_usd: string
        reserved_tokens: number
        granted_output_tokens: number | null
        prompt_tokens: number
        cached_tokens: number
        cache_write_tokens: number
        long_cache_write_tokens: number
        audio_input_tokens: number
        image_input_tokens: number
        completion_tokens: number
        reasoning_tokens: number
        audio_output_tokens: number
        image_output_tokens: number
        tool_calls: number
        cost_usd: string
        estimated: boolean
        service_tier: string | null
        first_byte_ms: number | null
        duration_ms: number | null
        address: string | null
      })[]
      keys: {
        id: string
        label: string
        prefix: string
      }[]
      next_cursor: string | null
      searched_to: string | null
    }
  }
  exportRequests: {
    query?: {
      key?: string
      model?: string
      status?: string
      code?: string
      from?: string
      to?: string
      min_cost_usd?: string
      max_cost_usd?: string
      min_duration_ms?: string
      max_duration_ms?: string
      format?: 'ndjson' | 'csv'
    }
    answer: null
  }
  getRequest: {
    params: {
      id: string
    }
    answer: {
      request: {
        id: string
        at: string
        kind: 'refused' | 'reaped' | 'settled' | 'cancelled'
        count: number
        key_id: string
        endpoint: string
        model: string | null
        answered_model: string | null
        stream: boolean
        status: number | null
        code: string | null
        attempts: number
        client_gone: boolean
        reserved_usd: string
        reserved_tokens: number
        granted_output_tokens: number | null
        prompt_tokens: number
        cached_tokens: number
        cache_write_tokens: number
        long_cache_write_tokens: number
        audio_input_tokens: number
        image_input_tokens: number
        completion_tokens: number
        reasoning_tokens: number
        audio_output_tokens: number
        image_output_tokens: number
        tool_calls: number
        cost_usd: string
        estimated: boolean
        service_tier: string | null
        first_byte_ms: number | null
        duration_ms: number | null
        address: string | null
        prices: {
          usd_per_million_tokens: Record<string, string>
          request_usd: string
          tool_call_usd: Record<string, string>
        } | null
      }
      key: {
        id: string
        label: string
        prefix: string
      } | null
    }
  }
  getNotifications: {
    answer: {
      notifications: {
        mails: ({
          kind: 'budget' | 'keys' | 'webhooks' | 'account' | 'providers' | 'spend'
          on: boolean
          required: boolean
        })[]
        thresholds: number[]
        key_thresholds: number[]
      }
    }
  }
  changeNotifications: {
    body: {
      mails?: {
        budget?: boolean
        keys?: boolean
        webhooks?: boolean
        account?: boolean
        providers?: boolean
        spend?: boolean
      }
      thresholds?: number[] | null
      key_thresholds?: number[] | null
    }
    answer: {
      notifications: {
        mails: ({
          kind: 'budget' | 'keys' | 'webhooks' | 'account' | 'providers' | 'spend'
          on: boolean
          required: boolean
        })[]
        thresholds: number[]
        key_thresholds: number[]
      }
    }
  }
  listEvents: {
    query?: {
      limit?: string
      cursor?: string
    }
    answer: {
      events: ({
        id: string
        type: 'budget.threshold' | 'budget.forecast' | 'key.created' | 'key.rotated' | 'key.grace_ending' | 'key.expiring' | 'key.revoked' | 'plan.changed' | 'payment.failed' | 'account.suspended' | 'account.resumed' | 'webhook.disabled' | 'webhook.test' | 'request.failed_over' | 'provider.failing' | 'spend.unusual'
        at: string
        data: Record<string, never>
        seen: boolean
      })[]
      unread: number
      has_more: boolean
      next_cursor: string | null
    }
  }
  markEventsSeen: {
    body: {
      id: string
    }
    answer: {
      unread: number
    }
  }
  listAudit: {
    query?: {
      limit?: string
      cursor?: string
    }
    answer: {
      entries: ({
        id: string
        at: string
        action: string
        actor_id: string | null
        actor_email: string | null
        subject: string | null
        detail: Record<string, string | number | boolean | null>
        ip: string | null
      })[]
      has_more: boolean
      next_cursor: string | null
    }
  }
}
