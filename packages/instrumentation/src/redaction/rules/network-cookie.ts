/**
 * What a `Set-Cookie` begins with that is for the network in between: load balancers and bot managers set it to know a client again, and no program reads it. By
 * what Cloudflare, AWS, Azure, Google Cloud, F5, Akamai, Imperva and DataDome document of their own.
 */
const NETWORK_COOKIE =
  /^(?:__cf_bm|_cfuvid|__cflb|__cfruid|__cfseq|__cfwaitingroom|cf_clearance|AWSALB(?:TG)?(?:CORS)?|AWSELB(?:CORS)?|aws-waf-token|ARRAffinity(?:SameSite)?|ApplicationGatewayAffinity(?:CORS)?|GCLB|BIGipServer[^=;,\s]*|TS[0-9a-f]{6,12}|ak_bmsc|bm_(?:sz|sv|mi|so|lso|s|ss)|_abck|AKA_A2|visid_incap_\d+|incap_ses_\d+_\d+|nlbi_\d+(?:_\d+)?|reese84|datadome)=/;

/** The name of a cookie of the network in between and its `=`, of the value of a `Set-Cookie` header; undefined of any other. */
export function networkCookieStart(setCookie: string): string | undefined {
  return NETWORK_COOKIE.exec(setCookie)?.[0];
}
