/** Generated from control's OpenAPI document by build/write-api-types.ts; a test compares them. Do not edit. */

export const methodsAndPaths = {
  getOpenApi: ['GET', '/api/openapi.json'],
  register: ['POST', '/api/auth/register'],
  openMailedLink: ['GET', '/api/auth/confirm'],
  confirm: ['POST', '/api/auth/confirm'],
  login: ['POST', '/api/auth/login'],
  startProviderSignIn: ['GET', '/api/auth/providers/{provider}'],
  endProviderSignIn: ['GET', '/api/auth/callback'],
  enterLoginCode: ['POST', '/api/auth/login/code'],
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
  makeRecoveryCodes: ['POST', '/api/auth/second-factor/recovery-codes'],
  listKeys: ['GET', '/api/keys'],
  createKey: ['POST', '/api/keys'],
  getKey: ['GET', '/api/keys/{id}'],
  changeKey: ['PATCH', '/api/keys/{id}'],
  revokeKey: ['DELETE', '/api/keys/{id}'],
  rotateKey: ['POST', '/api/keys/{id}/rotate'],
  endKeyGrace: ['POST', '/api/keys/{id}/end-grace'],
  getAccount: ['GET', '/api/account'],
  changeAccount: ['PATCH', '/api/account'],
  getSetup: ['GET', '/api/account/setup'],
  dismissSetup: ['POST', '/api/account/setup/dismiss'],
  exportOwnData: ['GET', '/api/account/export'],
  getTeam: ['GET', '/api/team'],
  inviteSeat: ['POST', '/api/team/seats'],
  getInvitation: ['GET', '/api/team/invitations/{token}'],
  acceptInvitation: ['POST', '/api/team/invitations/{token}/accept'],
  removeSeat: ['DELETE', '/api/team/seats/{id}'],
  listPlans: ['GET', '/api/billing/plans'],
  getPlan: ['GET', '/api/billing/plan'],
  openCheckout: ['POST', '/api/billing/checkout'],
  openPortal: ['GET', '/api/billing/portal'],
  listInvoices: ['GET', '/api/billing/invoices'],
  getNextCharge: ['GET', '/api/billing/next-charge'],
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
  getUsageLatency: ['GET', '/api/usage/latency'],
  getUsageSummary: ['GET', '/api/usage/summary'],
  listPricedModels: ['GET', '/api/models'],
  getLimits: ['GET', '/api/limits'],
  createPlaygroundToken: ['POST', '/api/playground/token'],
  listRequests: ['GET', '/api/requests'],
  exportRequests: ['GET', '/api/requests/export'],
  getRequest: ['GET', '/api/requests/{id}'],
  getNotifications: ['GET', '/api/account/notifications'],
  changeNotifications: ['PATCH', '/api/account/notifications'],
  listEvents: ['GET', '/api/events'],
  markEventsSeen: ['POST', '/api/events/seen'],
  listAudit: ['GET', '/api/audit'],
  exportAudit: ['GET', '/api/audit/export']
} as const

export interface paths {
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["openMailedLink"];
        put?: never;
        post: operations["confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["startProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["endProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["enterLoginCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/signout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch: operations["changeUser"];
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/resend-confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resendConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSecondFactor"];
        put?: never;
        post: operations["startSecondFactor"];
        delete: operations["removeSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/second-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/second-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["makeRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listKeys"];
        put?: never;
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch: operations["changeKey"];
        trace?: never;
    };
    "/api/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}/end-grace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["endKeyGrace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["changeAccount"];
        trace?: never;
    };
    "/api/account/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSetup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/setup/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dismissSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportOwnData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTeam"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/seats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["inviteSeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invitations/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/invitations/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/seats/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removeSeat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["openCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["openPortal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/next-charge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNextCharge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeInUserChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeInEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhooks"];
        put?: never;
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/api/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/latency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUsageLatency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUsageSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPricedModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playground/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createPlaygroundToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["changeNotifications"];
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["markEventsSeen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                message: string;
                type: string;
                code: string;
                /**
                 * Format: uri
                 * @description Documentation of the code, if the operator has set `DOCS_URL`
                 */
                doc_url?: string;
                /**
                 * @description Only in a 402, like the members below: the budget that refused the request.
                 * @enum {unknown}
                 */
                scope?: "request" | "key" | "account";
                /** @description US dollars: the limit of the budget */
                limit_usd?: string;
                /** @description US dollars: charged to the budget this month */
                spent_usd?: string;
                /** @description US dollars: reserved for requests in flight */
                reserved_usd?: string;
                /** @description US dollars: the minimum that this request needs */
                needed_usd?: string;
                /**
                 * Format: date-time
                 * @description When the next month begins (UTC). Missing if the request exceeds the budget of a whole month.
                 */
                resets_at?: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    openMailedLink: {
        parameters: {
            query?: {
                token_hash?: string;
                type?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    confirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token_hash: string;
                    type: "signup" | "email";
                    password: string;
                    set?: boolean;
                    code?: string;
                } | {
                    access_token: string;
                    password: string;
                    set?: boolean;
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    startProviderSignIn: {
        parameters: {
            query?: {
                next?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    endProviderSignIn: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
                error_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    enterLoginCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    signout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | {
                    everywhere?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: {
                            /** Format: uuid */
                            id: string;
                            browser: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            last_used_at: string;
                            /** Format: date-time */
                            ends_at: string;
                            current: boolean;
                        }[];
                    };
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    resendConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token_hash: string;
                    password: string;
                    revoke_keys?: boolean;
                    sign_in?: boolean;
                } | {
                    access_token: string;
                    password: string;
                    revoke_keys?: boolean;
                    sign_in?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        user?: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            plan: string;
                            /** @constant */
                            role?: "operator";
                            /** @constant */
                            has_password?: false;
                        };
                    };
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    getSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        recovery_codes_left: number;
                        recovered: boolean;
                    };
                };
            };
        };
    };
    startSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        secret: string;
                        uri: string;
                    };
                };
            };
        };
    };
    removeSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        recovery_codes: string[];
                    };
                };
            };
        };
    };
    makeRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery_codes: string[];
                    };
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                limit?: string;
                cursor?: string;
                include_revoked?: "true" | "false";
                q?: string;
                sort?: "newest" | "label" | "last_used" | "spend";
                spend?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            id: string;
                            label: string;
                            prefix: string;
                            /** @enum {unknown} */
                            status: "active" | "revoked";
                            paused: boolean;
                            /** @enum {unknown} */
                            scope: "inference" | "management";
                            expires_at: string | null;
                            models: string[] | null;
                            monthly_budget_usd: number | null;
                            thresholds: number[] | null;
                            requests_per_minute: number | null;
                            metadata: {
                                [key: string]: string;
                            };
                            last_used: string | null;
                            /** Format: date-time */
                            created: string;
                            old_secret_until: string | null;
                            can_change: boolean;
                            creator: string | null;
                            spent_usd?: string;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label: string;
                    /** @enum {unknown} */
                    scope?: "inference" | "management";
                    account_id?: string;
                    paused?: boolean;
                    expires_at?: string | null;
                    models?: string[] | null;
                    monthly_budget_usd?: number | null;
                    thresholds?: number[] | null;
                    requests_per_minute?: number | null;
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            label: string;
                            value: string;
                        };
                    };
                };
            };
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            label: string;
                            prefix: string;
                            /** @enum {unknown} */
                            status: "active" | "revoked";
                            paused: boolean;
                            /** @enum {unknown} */
                            scope: "inference" | "management";
                            expires_at: string | null;
                            models: string[] | null;
                            monthly_budget_usd: number | null;
                            thresholds: number[] | null;
                            requests_per_minute: number | null;
                            metadata: {
                                [key: string]: string;
                            };
                            last_used: string | null;
                            /** Format: date-time */
                            created: string;
                            old_secret_until: string | null;
                            can_change: boolean;
                            creator: string | null;
                            spent_usd: string;
                            /** @description Whether this state of the key is in force at all gateways. */
                            in_force: boolean;
                        };
                    };
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: {
                cut_streams?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label?: string;
                    paused?: boolean;
                    expires_at?: string | null;
                    models?: string[] | null;
                    monthly_budget_usd?: number | null;
                    thresholds?: number[] | null;
                    requests_per_minute?: number | null;
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            label: string;
                            prefix: string;
                            /** @enum {unknown} */
                            status: "active" | "revoked";
                            paused: boolean;
                            /** @enum {unknown} */
                            scope: "inference" | "management";
                            expires_at: string | null;
                            models: string[] | null;
                            monthly_budget_usd: number | null;
                            thresholds: number[] | null;
                            requests_per_minute: number | null;
                            metadata: {
                                [key: string]: string;
                            };
                            last_used: string | null;
                            /** Format: date-time */
                            created: string;
                            old_secret_until: string | null;
                            can_change: boolean;
                        };
                    };
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    grace_seconds?: number;
                    cut_streams?: boolean;
                } | null;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            label: string;
                            value: string;
                            /** @description Whether this state of the key is in force at all gateways. */
                            in_force: boolean;
                        };
                    };
                };
            };
            /** @description Success */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            label: string;
                            value: string;
                            /** @description Whether this state of the key is in force at all gateways. */
                            in_force: boolean;
                        };
                    };
                };
            };
        };
    };
    endKeyGrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            plan: string;
                            /** @enum {unknown} */
                            status: "active" | "suspended";
                            /** @enum {unknown} */
                            role: "owner" | "seat";
                            monthly_budget_usd: number | null;
                            plan_monthly_budget_usd: number;
                            models: {
                                id: string;
                                /** @enum {unknown} */
                                kind: "chat" | "completion" | "embedding";
                                usd_per_million_tokens: {
                                    input: number;
                                    cached_input: number;
                                    output: number;
                                    reasoning: number;
                                };
                            }[];
                        };
                    };
                };
            };
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    monthly_budget_usd: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            plan: string;
                            /** @enum {unknown} */
                            status: "active" | "suspended";
                            /** @enum {unknown} */
                            role: "owner" | "seat";
                            monthly_budget_usd: number | null;
                            plan_monthly_budget_usd: number;
                            models: {
                                id: string;
                                /** @enum {unknown} */
                                kind: "chat" | "completion" | "embedding";
                                usd_per_million_tokens: {
                                    input: number;
                                    cached_input: number;
                                    output: number;
                                    reasoning: number;
                                };
                            }[];
                        };
                    };
                };
            };
        };
    };
    getSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        setup: {
                            steps: {
                                /** @enum {unknown} */
                                step: "confirm_address" | "create_key" | "first_call" | "invite_member" | "choose_plan";
                                done: boolean;
                            }[];
                            dismissed: boolean;
                        };
                    };
                };
            };
        };
    };
    dismissSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    exportOwnData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        exported_at: string;
                        user: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                        };
                        seat: {
                            /** Format: uuid */
                            account_id: string;
                            /** Format: date-time */
                            joined: string;
                        } | null;
                        account: {
                            /** Format: uuid */
                            id: string;
                            plan: string;
                            /** @enum {unknown} */
                            status: "active" | "suspended";
                            monthly_budget_usd: string | null;
                            /** Format: date-time */
                            created: string;
                        };
                        sessions: {
                            /** Format: uuid */
                            id: string;
                            browser: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            last_used_at: string;
                            /** Format: date-time */
                            ends_at: string;
                        }[];
                        recovery_codes: {
                            /** Format: date-time */
                            created: string;
                            used: string | null;
                        }[];
                        customer: {
                            id: string;
                            subscription_id: string | null;
                        } | null;
                        invoices: {
                            id: string;
                            amount: number;
                            currency: string;
                            /** Format: date-time */
                            paid_at: string;
                        }[];
                        members: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string;
                            /** @enum {unknown} */
                            role: "owner" | "seat";
                            /** Format: date-time */
                            joined: string;
                        }[];
                        invitations: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            /** Format: date-time */
                            created: string;
                            /** Format: date-time */
                            expires_at: string;
                        }[];
                        keys: {
                            id: string;
                            label: string;
                            prefix: string;
                            /** @enum {unknown} */
                            status: "active" | "revoked";
                            paused: boolean;
                            /** @enum {unknown} */
                            scope: "inference" | "management";
                            expires_at: string | null;
                            models: string[] | null;
                            monthly_budget_usd: number | null;
                            thresholds: number[] | null;
                            requests_per_minute: number | null;
                            metadata: {
                                [key: string]: string;
                            };
                            last_used: string | null;
                            /** Format: date-time */
                            created: string;
                            old_secret_until: string | null;
                            /** Format: uuid */
                            account_id: string;
                            revoked_at: string | null;
                        }[];
                        webhooks: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        }[];
                        adjustments: {
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            at: string;
                            month: string;
                            amount_usd: string;
                            reason: string;
                        }[];
                        audit: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            action: string;
                            actor_id: string | null;
                            actor_email: string | null;
                            subject: string | null;
                            detail: {
                                [key: string]: string | number | boolean | null;
                            };
                            ip: string | null;
                        }[];
                        events: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {unknown} */
                            type: "budget.threshold" | "budget.forecast" | "key.created" | "key.rotated" | "key.grace_ending" | "key.expiring" | "key.revoked" | "plan.changed" | "payment.failed" | "account.suspended" | "account.resumed" | "webhook.disabled" | "webhook.test" | "request.failed_over" | "provider.failing" | "spend.unusual";
                            /** Format: date-time */
                            at: string;
                            data: {
                                [key: string]: unknown;
                            };
                        }[];
                        mails: {
                            /** @enum {unknown} */
                            kind: "budget" | "keys" | "webhooks" | "account" | "providers" | "spend";
                            /** Format: date-time */
                            queued_at: string;
                            sent_at: string | null;
                            notices: {
                                type: string;
                                data: {
                                    [key: string]: unknown;
                                };
                                /** Format: date-time */
                                at: string;
                            }[];
                        }[];
                        muted_mails: ("budget" | "keys" | "webhooks" | "account" | "providers" | "spend")[];
                        usage: {
                            /** Format: date */
                            day?: string;
                            key_id?: string;
                            model?: string;
                            requests: number;
                            errors: number;
                            prompt_tokens: number;
                            cached_tokens: number;
                            completion_tokens: number;
                            reasoning_tokens: number;
                            cache_write_tokens: number;
                            long_cache_write_tokens: number;
                            audio_input_tokens: number;
                            image_input_tokens: number;
                            audio_output_tokens: number;
                            image_output_tokens: number;
                            tool_calls: number;
                            estimated_requests: number;
                            cost_usd: string;
                        }[];
                        requests: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            /** @enum {unknown} */
                            kind: "refused" | "reaped" | "settled" | "cancelled";
                            count: number;
                            key_id: string;
                            endpoint: string;
                            model: string | null;
                            answered_model: string | null;
                            stream: boolean;
                            status: number | null;
                            code: string | null;
                            attempts: number;
                            client_gone: boolean;
                            reserved_usd: string;
                            reserved_tokens: number;
                            granted_output_tokens: number | null;
                            prompt_tokens: number;
                            cached_tokens: number;
                            cache_write_tokens: number;
                            long_cache_write_tokens: number;
                            audio_input_tokens: number;
                            image_input_tokens: number;
                            completion_tokens: number;
                            reasoning_tokens: number;
                            audio_output_tokens: number;
                            image_output_tokens: number;
                            tool_calls: number;
                            cost_usd: string;
                            estimated: boolean;
                            service_tier: string | null;
                            first_byte_ms: number | null;
                            duration_ms: number | null;
                            address: string | null;
                        }[];
                    };
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        team: {
                            /** Format: uuid */
                            id: string;
                            plan: string;
                            seats: {
                                used: number;
                                limit: number | null;
                            };
                            members: {
                                /** Format: uuid */
                                id: string;
                                email: string;
                                name: string;
                                /** @enum {unknown} */
                                role: "owner" | "seat";
                                /** Format: date-time */
                                joined: string;
                            }[];
                            invitations: {
                                /** Format: uuid */
                                id: string;
                                email: string;
                                /** Format: date-time */
                                created: string;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    inviteSeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitation: {
                            /** Format: uuid */
                            id: string;
                            email: string;
                            /** Format: date-time */
                            created: string;
                            /** Format: date-time */
                            expires_at: string;
                            link: string;
                        };
                    };
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invitation: {
                            invited_by: {
                                name: string;
                                email: string;
                            };
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    removeSeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    listPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        plans: {
                            id: string;
                            name: string;
                            entitlements: string[];
                            key_quota: number | null;
                            seats: number | null;
                            requests_per_minute: number;
                            burst_requests: number;
                            tokens_per_minute: number;
                            burst_tokens: number;
                            monthly_budget_usd: number;
                            prices: {
                                id: string;
                                /** @enum {unknown} */
                                interval: "month" | "year";
                                amount: number;
                                currency: string;
                            }[];
                        }[];
                    };
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        plan: {
                            id: string;
                            name: string;
                            renews_at: string | null;
                            entitlements: string[];
                            past_due: boolean;
                            cancel_at: string | null;
                            price_id: string | null;
                        };
                    };
                };
            };
        };
    };
    openCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    price_id: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string;
                    };
                };
            };
        };
    };
    openPortal: {
        parameters: {
            query?: {
                price_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        url: string;
                    };
                };
            };
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                limit?: string;
                starting_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        invoices: {
                            id: string;
                            number: string | null;
                            amount: number;
                            currency: string;
                            status: string;
                            created: number;
                            due: number | null;
                            pdf_url: string | null;
                        }[];
                        has_more: boolean;
                    };
                };
            };
        };
    };
    getNextCharge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next_charge: {
                            amount: number;
                            currency: string;
                            /** Format: date-time */
                            at: string;
                        } | null;
                    };
                };
            };
        };
    };
    takeInUserChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "INSERT" | "UPDATE" | "DELETE";
                    /** @constant */
                    schema: "auth";
                    /** @constant */
                    table: "users";
                    record: {
                        /** Format: uuid */
                        id: string;
                    } | null;
                    old_record?: {
                        /** Format: uuid */
                        id: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        received: true;
                    };
                };
            };
        };
    };
    takeInEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        received: true;
                    };
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event_types: {
                            type: string;
                            description: string;
                            data: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoints: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        }[];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                    description?: string;
                    event_types?: ("budget.threshold" | "budget.forecast" | "key.created" | "key.rotated" | "key.grace_ending" | "key.expiring" | "key.revoked" | "plan.changed" | "payment.failed" | "account.suspended" | "account.resumed" | "webhook.disabled" | "webhook.test")[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoint: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        };
                        /** @description The signing secret, `whsec_…`. It is shown only in this answer. Rotate it if you lose it. */
                        secret: string;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoint: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        };
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url?: string;
                    description?: string;
                    /** @description `true` ends `failing_since`, and new events are sent again. `false` gives up what waits. */
                    enabled?: boolean;
                    event_types?: ("budget.threshold" | "budget.forecast" | "key.created" | "key.rotated" | "key.grace_ending" | "key.expiring" | "key.revoked" | "plan.changed" | "payment.failed" | "account.suspended" | "account.resumed" | "webhook.disabled" | "webhook.test")[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoint: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        };
                    };
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    overlap_seconds?: number;
                } | null;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoint: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            description: string;
                            event_types: string[] | null;
                            enabled: boolean;
                            disabled_reason: ("failing" | "gone" | "turned_off") | null;
                            disabled_at: string | null;
                            failing_since: string | null;
                            old_secret_until: string | null;
                            /** Format: date-time */
                            created: string;
                        };
                        /** @description The signing secret, `whsec_…`. It is shown only in this answer. Rotate it if you lose it. */
                        secret: string;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            message_id: string;
                            type: string;
                            /** @enum {unknown} */
                            status: "pending" | "delivered" | "failed";
                            /** Format: date-time */
                            created: string;
                            next_try: string | null;
                            message: {
                                type: string;
                                /** Format: date-time */
                                timestamp: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                duration_ms: number;
                                status: number | null;
                                error: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: "pending" | "delivered" | "failed";
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            message_id: string;
                            type: string;
                            /** @enum {unknown} */
                            status: "pending" | "delivered" | "failed";
                            /** Format: date-time */
                            created: string;
                            next_try: string | null;
                            message: {
                                type: string;
                                /** Format: date-time */
                                timestamp: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                duration_ms: number;
                                status: number | null;
                                error: string | null;
                            }[];
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            message_id: string;
                            type: string;
                            /** @enum {unknown} */
                            status: "pending" | "delivered" | "failed";
                            /** Format: date-time */
                            created: string;
                            next_try: string | null;
                            message: {
                                type: string;
                                /** Format: date-time */
                                timestamp: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                duration_ms: number;
                                status: number | null;
                                error: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                interval?: "hour" | "day" | "month";
                group_by?: string;
                key?: string;
                model?: string;
                top?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        /** @enum {unknown} */
                        interval: "hour" | "day" | "month";
                        group_by: string;
                        buckets: {
                            /** Format: date-time */
                            start: string;
                            model?: string;
                            key_id?: string;
                            member_id?: string | null;
                            metadata_value?: string | null;
                            /** @constant */
                            others?: true;
                            requests: number;
                            errors: number;
                            prompt_tokens: number;
                            cached_tokens: number;
                            completion_tokens: number;
                            reasoning_tokens: number;
                            cache_write_tokens: number;
                            long_cache_write_tokens: number;
                            audio_input_tokens: number;
                            image_input_tokens: number;
                            audio_output_tokens: number;
                            image_output_tokens: number;
                            tool_calls: number;
                            cost_usd: string;
                        }[];
                        keys?: {
                            id: string;
                            label: string;
                            prefix: string;
                        }[];
                        members?: {
                            id: string;
                            name: string;
                        }[];
                        adjustments?: {
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            at: string;
                            month: string;
                            amount_usd: string;
                            reason: string;
                        }[];
                    };
                };
            };
        };
    };
    getUsageLatency: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                interval?: "hour" | "day" | "month";
                group_by?: string;
                key?: string;
                model?: string;
                top?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        /** @enum {unknown} */
                        interval: "hour" | "day" | "month";
                        group_by: string;
                        sampled: boolean;
                        buckets: {
                            /** Format: date-time */
                            start: string;
                            model?: string;
                            key_id?: string;
                            member_id?: string | null;
                            metadata_value?: string | null;
                            /** @constant */
                            others?: true;
                            requests: number;
                            first_byte_ms: {
                                p50: number;
                                p95: number;
                            };
                            duration_ms: {
                                p50: number;
                                p95: number;
                            };
                        }[];
                        totals: {
                            model?: string;
                            key_id?: string;
                            member_id?: string | null;
                            metadata_value?: string | null;
                            /** @constant */
                            others?: true;
                            requests: number;
                            first_byte_ms: {
                                p50: number;
                                p95: number;
                            };
                            duration_ms: {
                                p50: number;
                                p95: number;
                            };
                        }[];
                        keys?: {
                            id: string;
                            label: string;
                            prefix: string;
                        }[];
                        members?: {
                            id: string;
                            name: string;
                        }[];
                    };
                };
            };
        };
    };
    getUsageSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        from: string;
                        spent_usd: string;
                        reserved_usd: string;
                        today_usd: string;
                        forecast_usd: string | null;
                        cap_usd: string;
                        /** Format: date-time */
                        resets_at: string;
                    };
                };
            };
        };
    };
    listPricedModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        plan: {
                            id: string;
                            name: string;
                        };
                        models: {
                            id: string;
                            /** @enum {unknown} */
                            kind: "chat" | "completion" | "embedding";
                            owned_by: string;
                            context_tokens: number;
                            max_output_tokens: number;
                            accepts: ("text" | "image" | "audio")[];
                            /** @description The paths at which the model is offered; null while no gateway is known. */
                            endpoints: string[] | null;
                            /** @description Whether the account’s plan includes the model. */
                            is_included: boolean;
                            /** @description The plans on sale that include the model. */
                            plans: {
                                id: string;
                                name: string;
                            }[];
                            prices: {
                                is_now: boolean;
                                from: string | null;
                                until: string | null;
                                /** @description 0 is Sunday; empty for every day. */
                                weekdays: number[];
                                /** @description Such as `01:00-04:00`; empty for the whole day. */
                                utc_hours: string[];
                                rows: {
                                    /** @description `default` for requests that do not choose a service tier. */
                                    tier: string;
                                    /** @description The prices apply to prompts of more tokens than this. */
                                    above_prompt_tokens: number;
                                    usd_per_million_tokens: {
                                        input: number;
                                        cached_input: number;
                                        cache_write?: number;
                                        cache_write_long?: number;
                                        audio_input?: number;
                                        image_input?: number;
                                        output: number;
                                        reasoning?: number;
                                        audio_output?: number;
                                        image_output?: number;
                                    };
                                }[];
                            }[];
                            usd_per_request: number;
                            /** @description For each call of a tool that the provider runs. */
                            usd_per_call: {
                                [key: string]: number;
                            };
                        }[];
                    };
                };
            };
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: {
                            /** @description Whether an operator replaced limits of the plan. */
                            is_set_by_operator: boolean;
                            requests: {
                                per_minute: number;
                                /** @description How much may come at once. */
                                burst: number;
                                left: number | null;
                                full_in_ms: number | null;
                            };
                            tokens: {
                                per_minute: number;
                                /** @description How much may come at once. */
                                burst: number;
                                left: number | null;
                                full_in_ms: number | null;
                            };
                            concurrent_requests: {
                                limit: number;
                                in_use: number | null;
                            };
                            /** @description The maximum cost of a request. */
                            request_budget_usd: number;
                            month: {
                                /** @description US dollars */
                                budget_usd: string;
                                /** @description US dollars */
                                spent_usd: string;
                                /** @description US dollars */
                                reserved_usd: string;
                                /** @description US dollars */
                                left_usd: string;
                                /** Format: date-time */
                                resets_at: string;
                            };
                            keys: {
                                limit: number | null;
                                in_use: number;
                            };
                        };
                        /** @description The account’s plan and those on sale. */
                        plans: {
                            id: string;
                            name: string;
                            is_current: boolean;
                            requests_per_minute: number;
                            tokens_per_minute: number;
                            concurrent_requests: number;
                            request_budget_usd: number;
                            monthly_budget_usd: number;
                            key_quota: number | null;
                            seats: number | null;
                        }[];
                    };
                };
            };
        };
    };
    createPlaygroundToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: {
                            id: string;
                            value: string;
                            /** Format: date-time */
                            expires_at: string;
                            expires_in: number;
                        };
                    };
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: {
                key?: string;
                member?: string;
                model?: string;
                status?: string;
                code?: string;
                from?: string;
                to?: string;
                min_cost_usd?: string;
                max_cost_usd?: string;
                min_duration_ms?: string;
                max_duration_ms?: string;
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        requests: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            /** @enum {unknown} */
                            kind: "refused" | "reaped" | "settled" | "cancelled";
                            count: number;
                            key_id: string;
                            endpoint: string;
                            model: string | null;
                            answered_model: string | null;
                            stream: boolean;
                            status: number | null;
                            code: string | null;
                            attempts: number;
                            client_gone: boolean;
                            reserved_usd: string;
                            reserved_tokens: number;
                            granted_output_tokens: number | null;
                            prompt_tokens: number;
                            cached_tokens: number;
                            cache_write_tokens: number;
                            long_cache_write_tokens: number;
                            audio_input_tokens: number;
                            image_input_tokens: number;
                            completion_tokens: number;
                            reasoning_tokens: number;
                            audio_output_tokens: number;
                            image_output_tokens: number;
                            tool_calls: number;
                            cost_usd: string;
                            estimated: boolean;
                            service_tier: string | null;
                            first_byte_ms: number | null;
                            duration_ms: number | null;
                            address: string | null;
                        }[];
                        keys: {
                            id: string;
                            label: string;
                            prefix: string;
                        }[];
                        next_cursor: string | null;
                        searched_to: string | null;
                    };
                };
            };
        };
    };
    exportRequests: {
        parameters: {
            query?: {
                key?: string;
                member?: string;
                model?: string;
                status?: string;
                code?: string;
                from?: string;
                to?: string;
                min_cost_usd?: string;
                max_cost_usd?: string;
                min_duration_ms?: string;
                max_duration_ms?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        id: string;
                        /** Format: date-time */
                        at: string;
                        /** @enum {unknown} */
                        kind: "refused" | "reaped" | "settled" | "cancelled";
                        count: number;
                        key_id: string;
                        endpoint: string;
                        model: string | null;
                        answered_model: string | null;
                        stream: boolean;
                        status: number | null;
                        code: string | null;
                        attempts: number;
                        client_gone: boolean;
                        reserved_usd: string;
                        reserved_tokens: number;
                        granted_output_tokens: number | null;
                        prompt_tokens: number;
                        cached_tokens: number;
                        cache_write_tokens: number;
                        long_cache_write_tokens: number;
                        audio_input_tokens: number;
                        image_input_tokens: number;
                        completion_tokens: number;
                        reasoning_tokens: number;
                        audio_output_tokens: number;
                        image_output_tokens: number;
                        tool_calls: number;
                        cost_usd: string;
                        estimated: boolean;
                        service_tier: string | null;
                        first_byte_ms: number | null;
                        duration_ms: number | null;
                        address: string | null;
                    };
                    "text/csv": string;
                };
            };
        };
    };
    getRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            /** @enum {unknown} */
                            kind: "refused" | "reaped" | "settled" | "cancelled";
                            count: number;
                            key_id: string;
                            endpoint: string;
                            model: string | null;
                            answered_model: string | null;
                            stream: boolean;
                            status: number | null;
                            code: string | null;
                            attempts: number;
                            client_gone: boolean;
                            reserved_usd: string;
                            reserved_tokens: number;
                            granted_output_tokens: number | null;
                            prompt_tokens: number;
                            cached_tokens: number;
                            cache_write_tokens: number;
                            long_cache_write_tokens: number;
                            audio_input_tokens: number;
                            image_input_tokens: number;
                            completion_tokens: number;
                            reasoning_tokens: number;
                            audio_output_tokens: number;
                            image_output_tokens: number;
                            tool_calls: number;
                            cost_usd: string;
                            estimated: boolean;
                            service_tier: string | null;
                            first_byte_ms: number | null;
                            duration_ms: number | null;
                            address: string | null;
                            upstream: string | null;
                            failed_attempts: {
                                upstream: string;
                                code: string;
                                status: number | null;
                                started_ms: number;
                                duration_ms: number;
                            }[];
                            prices: {
                                usd_per_million_tokens: {
                                    [key: string]: string;
                                };
                                request_usd: string;
                                tool_call_usd: {
                                    [key: string]: string;
                                };
                            } | null;
                        };
                        key: {
                            id: string;
                            label: string;
                            prefix: string;
                        } | null;
                    };
                };
            };
        };
    };
    getNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notifications: {
                            mails: {
                                /** @enum {unknown} */
                                kind: "budget" | "keys" | "webhooks" | "account" | "providers" | "spend";
                                on: boolean;
                                required: boolean;
                            }[];
                            thresholds: number[];
                            key_thresholds: number[];
                        };
                    };
                };
            };
        };
    };
    changeNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    mails?: {
                        budget?: boolean;
                        keys?: boolean;
                        webhooks?: boolean;
                        account?: boolean;
                        providers?: boolean;
                        spend?: boolean;
                    };
                    thresholds?: number[] | null;
                    key_thresholds?: number[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notifications: {
                            mails: {
                                /** @enum {unknown} */
                                kind: "budget" | "keys" | "webhooks" | "account" | "providers" | "spend";
                                on: boolean;
                                required: boolean;
                            }[];
                            thresholds: number[];
                            key_thresholds: number[];
                        };
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {unknown} */
                            type: "budget.threshold" | "budget.forecast" | "key.created" | "key.rotated" | "key.grace_ending" | "key.expiring" | "key.revoked" | "plan.changed" | "payment.failed" | "account.suspended" | "account.resumed" | "webhook.disabled" | "webhook.test" | "request.failed_over" | "provider.failing" | "spend.unusual";
                            /** Format: date-time */
                            at: string;
                            data: {
                                [key: string]: unknown;
                            };
                            seen: boolean;
                        }[];
                        unread: number;
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    markEventsSeen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        unread: number;
                    };
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                subject?: string;
                from?: string;
                to?: string;
                q?: string;
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            action: string;
                            actor_id: string | null;
                            actor_email: string | null;
                            subject: string | null;
                            detail: {
                                [key: string]: string | number | boolean | null;
                            };
                            ip: string | null;
                            actor_key_label: string | null;
                            subject_exists: boolean;
                        }[];
                        has_more: boolean;
                        next_cursor: string | null;
                        searched_to: string | null;
                    };
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                subject?: string;
                from?: string;
                to?: string;
                q?: string;
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        id: string;
                        /** Format: date-time */
                        at: string;
                        action: string;
                        actor_id: string | null;
                        actor_email: string | null;
                        subject: string | null;
                        detail: {
                            [key: string]: string | number | boolean | null;
                        };
                        ip: string | null;
                    };
                    "text/csv": string;
                };
            };
        };
    };
}
