/** What Cloud DNS stores: an unquoted word gets quotes. https://cloud.google.com/dns/docs/reference/v1/resourceRecordSets */
export function storedTxt(rrdata: string): string {
  return rrdata.trim().startsWith('"') ? rrdata.trim() : `"${rrdata.trim()}"`;
}
