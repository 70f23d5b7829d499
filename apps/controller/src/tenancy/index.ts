export { type AddressRuleOptions, addressRule } from './address-rule.ts';
export { type AllowedEndpoints, AllowedEndpointsError, parseAllowedEndpoints } from './allowed-endpoints.ts';
export { type ApiServerOptions, apiServerAddresses } from './api-server-addresses.ts';
export { type Cidr, CidrError, parseCidrs } from './cidr.ts';
export { DividedDns } from './divided-dns.ts';
export { createTenancy, everythingAllowed, type Rights, type Tenancy, type TenancyOptions } from './tenancy.ts';
