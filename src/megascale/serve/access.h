#ifndef MEGASCALE_SERVE_ACCESS_H_
#define MEGASCALE_SERVE_ACCESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Decides whether a request is answered. A program on this machine, or a web page that the user has open, can
// send requests to a port of 127.0.0.1 too, so being local proves nothing. A request is answered if
// it names the server as its host (a page of another site, whose name now leads to 127.0.0.1, does
// not), comes from no other site, and has the token or the cookie. A request that changes something must
// also say that it comes from the server's own page (Origin), unless a program sends it with the token. All
// functions are pure.
namespace megascale::serve {

struct AccessRules {
  std::uint16_t port = 0;
  std::string token;   // in the link that the terminal shows, and of "Authorization: Bearer"
  std::string cookie;  // another secret, which the browser gets for the token
  bool tls = false;    // pages are https://
  // By which the server may be called beside 127.0.0.1, localhost and [::1].
  std::vector<std::string> names;
  bool can_evict = false;  // POST /api/runs/ID/evict is served
  // The cookie's name has the port in it: browsers send the cookies of one host to all its ports.
  [[nodiscard]] std::string cookie_name() const;
};

// The headers of a request that decide about it; "": the request has no such header.
struct RequestFacts {
  std::string_view method, path, host, origin, fetch_site, authorization, cookies;
  std::string_view token;  // the parameter of the link
};

enum class Access : std::uint8_t {
  allowed,        // a POST that is allowed changes state: it is one to evict a host
  give_cookie,    // the link with the token: answered with the cookie and the address without it
  no_token,       // 401
  wrong_host,     // 421
  other_site,     // 403
  not_read_only,  // 405: a method that is not served at this path
};
[[nodiscard]] Access judge(const AccessRules& rules, const RequestFacts& request);

// Returns the value of the cookie `name` in a Cookie header; "" if it is not there.
[[nodiscard]] std::string_view cookie_in(std::string_view header, std::string_view name);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_ACCESS_H_
