import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

declare module 'fastify' {
  interface FastifyInstance {
    unknownPages: { send: SendPage | null }
  }
}

const notOfPages = /^\/(api|assets)(\/|$)/

/**
 * Answers requests without a route. A person who opened an unknown address in a browser gets the dashboard's page, which says
 * so and offers a way on. Everybody else gets `sendOther`.
 */
export function answerUnknown(app: FastifyInstance, sendOther: SendPage): void {
  const pages: FastifyInstance['unknownPages'] = { send: null }
  app.decorate('unknownPages', pages)
  app.setNotFoundHandler((request, reply) =>
    pages.send !== null && isOpenedInBrowser(request) ? pages.send(request, reply) : sendOther(request, reply)
  )
}

/** Browsers name HTML only when they open a page, not when a script or a picture is loaded. */
const isOpenedInBrowser = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && !notOfPages.test(url) && headers.accept?.includes('text/html') === true
